"""The hub's Wi-Fi: when to open its own network, NetworkManager, and the set-up page."""
