# Runs at power-on. Ctrl-C on the serial port ends it, for updates.
import time

import hub
import layout
import machine

board = hub.Hub(layout)
try:
    try:
        board.run()
    except Exception as error:
        print(error)
        time.sleep_ms(500)  # time for Ctrl-C
        machine.reset()
except KeyboardInterrupt:
    # The watchdog cannot be stopped, so it is fed as long as somebody is at the prompt.
    watchdog = machine.WDT(timeout=hub.WATCHDOG_MS)
    machine.Timer(period=1000, callback=lambda timer: watchdog.feed())
