"""A Slurm of one node on this machine, in a folder of its own: munged, slurmctld, slurmd on loopback."""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

TOOLS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo"]
CONF = """\
ClusterName=mien
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=10
KillWait=10
MinJobAge=20
JobRequeue=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Which programs are not here."""
    return [tool for tool in TOOLS if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder, cpus=2):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.folder.chmod(0o755)
        for name in "state", "spool":
            (self.folder / name).mkdir()
        self.host = socket.gethostname().split(".")[0]
        conf = self.folder / "slurm.conf"
        conf.write_text(CONF.format(host=self.host, user=getpass.getuser(), folder=self.folder, ports=free_ports(2),
                                    cpus=cpus))  # fmt: skip
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.environment = dict(os.environ, SLURM_CONF=str(conf), PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        self.processes = {}
        self._start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                    f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log",
                    f"--seed-file={folder}/munge.seed")  # fmt: skip
        self.until(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._start("slurmctld", "-D")
        self.start_node()
        self.until(lambda: "idle" in self.tell("sinfo", "-h", "-o", "%t"), "an idle node")

    def _start(self, *call):
        out = open(self.folder / f"{call[0]}.out", "ab")
        self.processes[call[0]] = subprocess.Popen(call, env=self.environment, stdout=out, stderr=out)

    def start_node(self):
        self._start("slurmd", "-D", "-N", self.host)

    def tell(self, *call):
        return subprocess.run(call, env=self.environment, capture_output=True, text=True).stdout

    def until(self, test, what, seconds=120):
        end = time.time() + seconds
        while not test():
            if time.time() > end:
                raise TimeoutError(f"{what} did not come within {seconds} s; see {self.folder}")
            time.sleep(0.2)

    def _belongs(self, process):
        """Whether the node runs it: steps write our log, what they run has our slurm.conf in its environment."""
        try:
            if (process / "cmdline").read_bytes().startswith(b"slurmstepd"):
                return any(os.readlink(fd).startswith(str(self.folder)) for fd in (process / "fd").iterdir())
            environment = (process / "environ").read_bytes()
        except OSError:
            return False
        return str(self.folder).encode() in environment and b"SLURM_JOB_ID=" in environment

    def _ours(self):
        """Processes of this node, but for slurmd."""
        return [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and self._belongs(p)]

    def is_baking(self):
        """Whether a bake runs on the node."""
        for pid in self._ours():
            try:
                if b"\0bake\0" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    return True
            except OSError:
                pass
        return False

    def kill_node(self):
        """The node and everything that runs on it, at once. Returns how many processes."""
        victims = [self.processes["slurmd"].pid, *self._ours()]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.processes.pop("slurmd").wait()
        return len(victims)

    def stop(self):
        self.tell("scancel", "--user", getpass.getuser())
        for name in "slurmd", "slurmctld", "munged":
            process = self.processes.pop(name, None)
            if process:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
        for pid in self._ours():
            os.kill(pid, signal.SIGKILL)
