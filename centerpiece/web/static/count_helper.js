// Does half of a search beside the worker that counts.

import { photoOf, searchTones } from "./count_photo.js";

self.onmessage = ({ data }) => self.postMessage(searchTones(photoOf(data)));
