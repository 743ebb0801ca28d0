"""Builds the reference of the Python package from its docstrings: `python api.py SOURCES OUT`. Sphinx comes with numpydoc."""

import inspect
import sys
from pathlib import Path

import ergodict
from sphinx.cmd.build import main

CONFIGURATION = """
project = "ergodict"
extensions = ["sphinx.ext.autodoc", "numpydoc"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1080px"}
html_sidebars = {"**": ["globaltoc.html", "searchfield.html"]}
html_show_sourcelink = False
html_copy_source = False
autodoc_typehints = "none"
numpydoc_show_class_members = False


def inherited(app, what, name, item, skip, options):
    # What base classes of other packages have is documented there.
    return True if not (getattr(item, "__module__", None) or "ergodict").startswith("ergodict") else None


def setup(app):
    app.connect("autodoc-skip-member", inherited)
"""
#: Modules that users import, and what they are for.
MODULES = {
    "ergodict": "Estimators, networks and functions",
    "ergodict.chains": "Markov chains",
    "ergodict.sets": "Constraint sets",
    "ergodict.plot": "Plots",
    "ergodict.diagnostics": "Convergence diagnostics",
    "ergodict.denoising": "Denoising methods",
    "ergodict.distributed": "More than one process or machine",
}


def public(module):
    """Names and objects that a module exports and that have no page yet."""
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    for name in names:
        item = getattr(module, name)
        if inspect.isclass(item) or inspect.isroutine(item):
            yield name, item


def write(sources):
    done, index = set(), ["Python API", "==========", ""]
    for module_name, title in MODULES.items():
        module = sys.modules[module_name]
        pages = []
        for name, item in sorted(public(module), key=lambda pair: pair[0].lower()):
            if id(item) in done or not (item.__module__ or "").startswith("ergodict"):
                continue
            done.add(id(item))
            path = f"{module_name}.{name}"
            directive = "autoclass" if inspect.isclass(item) else "autofunction"
            lines = [path, "=" * len(path), "", f".. {directive}:: {path}"]
            if directive == "autoclass":
                lines += ["   :members:", "   :inherited-members:"]
            (sources / f"{path}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
            pages.append(f"   {path}")
        if pages:
            index += [title, "-" * len(title), "", ".. toctree::", "   :maxdepth: 1", "", *pages, ""]
    (sources / "index.rst").write_text("\n".join(index), encoding="utf-8")
    (sources / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    return len(done)


if __name__ == "__main__":
    sources, out = Path(sys.argv[1]), sys.argv[2]
    import ergodict.diagnostics  # noqa: F401

    print(write(sources), "items of the Python API")
    sys.exit(main(["-q", "-W", "--keep-going", "-b", "html", "-d", str(sources / "trees"), str(sources), out]))
