# Runs at power-on. Ctrl-C on the serial port ends it, for updates.
import hub
import layout

hub.Hub(layout).run()
