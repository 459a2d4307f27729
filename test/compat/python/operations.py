"""Every operation of the public Python SDK, called and its answer decoded.

The operations are those that the client has, found by reflection: one without
a step fails the run, and so does a step that does not call its operation. The
script reads where the service is and who it is from the environment:
COMPAT_ENDPOINT, COMPAT_CLIENT_ID and COMPAT_CLIENT_SECRET.
"""

import inspect
import os
import sys

from kuflow_rest import KuFlowRestClient

import steps


def groups(client: KuFlowRestClient) -> dict:
    """The groups of operations of the client by their names."""
    return {
        name: group
        for name, group in vars(client).items()
        if type(group).__module__.startswith("kuflow_rest.operations")
    }


def operations(client: KuFlowRestClient) -> set[str]:
    return {
        f"{name}.{operation}"
        for name, group in groups(client).items()
        for operation, _ in inspect.getmembers(group, inspect.ismethod)
        if not operation.startswith("_")
    }


class Recorder:
    """Stands for a group of operations and records which are called."""

    def __init__(self, name: str, group: object, called: set[str]) -> None:
        self._name, self._group, self._called = name, group, called

    def __getattr__(self, operation: str):
        method = getattr(self._group, operation)

        def call(*args, **kwargs):
            self._called.add(f"{self._name}.{operation}")
            return method(*args, **kwargs)

        return call


def main() -> int:
    client = KuFlowRestClient(
        client_id=os.environ["COMPAT_CLIENT_ID"],
        client_secret=os.environ["COMPAT_CLIENT_SECRET"],
        endpoint=os.environ["COMPAT_ENDPOINT"],
        allow_insecure_connection=True,
    )
    expected, called = operations(client), set()
    for name, group in groups(client).items():
        setattr(client, name, Recorder(name, group, called))
    covered, failures = set(), 0
    for step in steps.all_steps():
        called.clear()
        try:
            step.run(client)
            without = step.operations - called
            if without:
                raise AssertionError(f"does not call {', '.join(sorted(without))}")
        except Exception as error:  # each step is reported, whatever is wrong with it
            failures += 1
            print(f"FAIL {step.name}: {type(error).__name__}: {error}", file=sys.stderr)
        covered |= step.operations
    for missing in sorted(expected - covered):
        failures += 1
        print(f"FAIL {missing}: has no step", file=sys.stderr)
    for unknown in sorted(covered - expected):
        failures += 1
        print(f"FAIL {unknown}: is no operation of the SDK", file=sys.stderr)
    print(f"{len(expected)} operations of the SDK, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
