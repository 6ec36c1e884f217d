"""Virtual people: players, their reports to the hub, and the state that the hub must show."""
