"""The hub's Wi-Fi: when to open which network, NetworkManager, and the page that sets it up."""
