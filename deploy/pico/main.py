# Runs by itself when the board gets power. Ctrl-C on its serial port ends it, for updates.
import hub
import layout

hub.Hub(layout).run()
