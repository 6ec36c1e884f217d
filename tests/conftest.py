"""How much the property tests search: little by default, more with HYPOTHESIS_PROFILE=thorough."""

import os

from hypothesis import HealthCheck, settings

_SLOW_STARTERS = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "quick",
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=_SLOW_STARTERS,
)
settings.register_profile(
    "thorough",
    max_examples=1000,
    stateful_step_count=80,
    deadline=None,
    suppress_health_check=_SLOW_STARTERS,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
