// A second worker for half of the search, started by count_worker.js.

import { photoOf, searchTones } from "./count_photo.js";

self.onmessage = ({ data }) => self.postMessage(searchTones(photoOf(data)));
