"""`muniment ui`: from a click on `intake` to a published generation by the sensors, and a clean end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest
from command_line import muniment
from service_lab import Service, poll, processes_of

TEXT = "# Pumps\n\nThe Harbour Pump depends on the Valve Registry.\n"


@pytest.mark.integration
@pytest.mark.timeout(600)
def test_a_click_on_intake_leads_to_a_generation_and_a_signal_ends_it_all(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.md").write_text(TEXT)
    home = tmp_path / "home"
    home.mkdir()
    # a relative path starts at the folder of the settings file
    (home / "muniment.toml").write_text('[[sources]]\nname = "papers"\npath = "../papers"\n')
    with Service(home) as service:
        poll(service.answers, 90, "webserver")
        poll(service.loaded, 60, "code location")
        service.launch("intake")
        poll((home / "CURRENT").exists, 300, "a generation")
        poll(lambda: all(status == "SUCCESS" for _, status in service.runs()), 60, "runs at an end")
        jobs = [job for job, _ in service.runs()]
        assert set(jobs) == {"intake", "process_batch", "publish"} and jobs.count("publish") == 1
        assert service.listening() <= {"127.0.0.1", "::1"}
        found = muniment(home, "search", "what depends on the valve registry", "--json")
        assert found.returncode == 0 and "The Harbour Pump depends on the Valve Registry." in found.stdout
        family = {process.pid for process in service.family()}
        assert len(family) >= 4  # itself, webserver, daemon, code server
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(timeout=60) == 0
        poll(lambda: not _alive(family), 15, "the end of every process")
        assert processes_of(home) == {}


def _alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE}


@pytest.mark.integration
@pytest.mark.timeout(600)
def test_an_interrupt_in_the_middle_of_a_run_leaves_no_process(tmp_path: Path) -> None:
    papers, home = tmp_path / "papers", tmp_path / "home"
    papers.mkdir()
    home.mkdir()
    for number in range(30):
        (papers / f"{number}.md").write_text(f"# Note {number}\n\n{TEXT}" * 20)
    (home / "muniment.toml").write_text(f'[[sources]]\nname = "papers"\npath = "{papers}"\n')
    with Service(home) as service:
        poll(service.answers, 90, "webserver")
        poll(service.loaded, 60, "code location")
        # no click: the sensor finds the source of the settings by itself
        poll(lambda: ("process_batch", "STARTED") in service.runs(), 120, "a batch under way")
        os.kill(service.process.pid, signal.SIGINT)
        assert service.process.wait(timeout=150) == 0
        poll(lambda: processes_of(home) == {}, 15, "the end of every process")
