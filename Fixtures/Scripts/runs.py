"""Emulated runs of a build, with the true source frames of every address."""

from collections.abc import Callable
from dataclasses import dataclass, field

from builds import Build
from emulator.machine import Machine, Stop
from markers import Place
from scenarios import Scenario
from truth import Mismatch, TrueStack, Truth


@dataclass
class Run:
    scenario: Scenario
    build: Build
    stop: Stop
    stack: TrueStack = ()
    samples: list[TrueStack] = field(default_factory=list)


def run(scenario: Scenario, build: Build, places: dict[str, Place]) -> Run:
    machine = Machine(build.binary("Orchard"), build.binary("OrchardKit"))
    truth = Truth(scenario, build, places)
    samples: list[TrueStack] = []
    if scenario.is_sampled:
        machine.on_instruction = sampler(machine, truth, samples)
    stop = start(machine, scenario.start)
    if scenario.is_sampled and not samples:
        raise Mismatch(f"{build.name}, {scenario.name}: no sample shows one of its stacks")
    result = Run(scenario, build, stop, samples=samples)
    if not scenario.is_sampled:
        result.stack = truth.resolve(stop.stack, scenario.stacks[""])
    return result


def start(machine: Machine, words: tuple[str, ...]) -> Stop:
    match words:
        case ("launch",):
            return machine.launch(None)
        case ("button", number):
            return machine.launch(int(number))
        case ("task", function):
            return machine.start_task(function)
        case ("work", function):
            return machine.start_work(function)
    raise ValueError(f"'start {' '.join(words)}' is not a way to start a run")


def sampler(machine: Machine, truth: Truth, samples: list[TrueStack]) -> Callable[[], None]:
    """Takes a sample after every so many instructions, or soon after that.

    An address in the middle of a function has no marker. So a sample waits until the run is in one
    of the scenario's stacks; their innermost functions are on one line each.
    """
    scenario = truth.scenario
    next_sample = scenario.every

    def take() -> None:
        nonlocal next_sample
        if machine.instructions < next_sample:
            return
        stack = machine.stack()
        for rows in scenario.stacks.values():
            try:
                samples.append(truth.resolve_sample(stack, rows))
            except Mismatch:
                continue
            next_sample = machine.instructions + scenario.every
            return

    return take
