# How this board is wired. An update leaves this file alone, so it may be changed.

# Each button is wired between its pin (GP…) and ground. Leave out seats that do not exist.
BUTTONS = (
    ("seat-1", 2),
    ("seat-2", 3),
    ("seat-3", 4),
    ("seat-4", 5),
    ("seat-5", 6),
    ("seat-6", 7),
    ("seat-7", 8),
    ("seat-8", 9),
    ("seat-9", 10),
    ("seat-10", 11),
    ("train", 12),
    ("whistle", 13),
    ("advance", 14),
    ("undo", 15),
)

# The train markers' docks, each a switch between its pin and ground that the marker closes:
# (("dock-1", 16), ("dock-2", 17), …). With an MCP23017 on I²C, the numbers are its inputs, 0 to 7
# for GPA0 to GPA7 and 8 to 15 for GPB0 to GPB7.
DOCKS = ()
DOCKS_ON = None  # or (0, 20, 21, 0x20): I²C number, SDA, SCL, address

# The data line of the chain. Its length only matters until a computer tells the real one.
CHAIN = 22
PIXELS = 87

# The sound module: its RX is on GP0, its TX on GP1. None if there is no module.
SOUND = (0, 0, 1)  # UART, TX, RX
