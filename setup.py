"""Build hook: compiles the C runtime into the package (``whence/_native``), and the native commands."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

from distutils.command.build_scripts import build_scripts  # isort: skip
from distutils.command.install_data import install_data  # isort: skip

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "runtime"))

import build as runtime  # noqa: E402


class BuildPy(build_py):
    """Also builds the runtime: into the source tree for an editable install, else into the wheel."""

    def run(self) -> None:
        super().run()
        try:
            if self.editable_mode:
                runtime.build_all(HERE / "src" / "whence" / "_native")
            else:
                folder = Path(self.build_lib) / "whence" / "_native"
                runtime.build_all(folder, compiler=runtime.compiler_for_others()[0])
        except runtime.BuildError as error:
            raise SystemExit(f"whence: {error}") from None


class BuildScripts(build_scripts):
    """Also builds the native commands, beside the scripts."""

    def run(self) -> None:
        super().run()
        own = self.get_finalized_command("build_py").editable_mode
        try:
            compiler = None if own else runtime.compiler_for_others()[0]
            for name in runtime.COMMANDS:
                runtime.build_launcher(Path(self.build_dir) / name, compiler=compiler)
        except runtime.BuildError as error:
            raise SystemExit(f"whence: {error}") from None


class InstallData(install_data):
    """Also makes and installs the manual pages."""

    def run(self) -> None:
        folder = Path(self.get_finalized_command("build").build_temp) / "man"
        made = runtime.run_own("whence.cli.manual", str(folder)).splitlines()
        self.data_files = [*(self.data_files or ()), ("share/man/man1", made)]
        super().run()


class PlatformWheel(bdist_wheel):
    """The wheel holds native code but does not depend on the Python version, nor on this machine if that
    code is portable."""

    def get_tag(self) -> tuple[str, str, str]:
        own = self.get_finalized_command("build_py").editable_mode
        portable = not own and runtime.compiler_for_others()[1]
        return "py3", "none", runtime.PORTABLE_TAG if portable else super().get_tag()[2]


class NativeDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(
    cmdclass={
        "build_py": BuildPy,
        "build_scripts": BuildScripts,
        "install_data": InstallData,
        "bdist_wheel": PlatformWheel,
    },
    distclass=NativeDistribution,
    data_files=[("share/cmake/whence", sorted(map(str, Path("src/whence/cmake").glob("*.cmake"))))],
)
