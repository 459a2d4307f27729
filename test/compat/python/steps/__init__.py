"""The steps of operations.py, in the order in which they run."""

from collections.abc import Callable
from dataclasses import dataclass

from kuflow_rest import KuFlowRestClient


@dataclass
class Step:
    name: str
    operations: set[str]
    run: Callable[[KuFlowRestClient], None]


_steps: list[Step] = []


def step(*operations: str):
    """Makes a function the step of operations, each "group.operation"."""

    def register(run: Callable[[KuFlowRestClient], None]):
        _steps.append(Step(f"{run.__module__}.{run.__name__}", set(operations), run))
        return run

    return register


def all_steps() -> list[Step]:
    # Importing a module registers its steps.
    from steps import artifacts, documents, errors, identities, items, processes  # noqa: F401

    return _steps
