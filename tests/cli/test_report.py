import base64
import json
import re
from html.parser import HTMLParser

import anndata as ad
import pytest

from methyl_dncb.cli._report import render


class Page(HTMLParser):
    """Headings, sources and unclosed tags of a page."""

    VOID = frozenset({"meta", "img", "br", "link"})

    def __init__(self, text):
        super().__init__()
        self.sections, self.sources, self.links, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.sections += [attrs["id"]] if tag == "section" else []
        self.sources += [attrs["src"]] if "src" in attrs else []
        self.links += [attrs["href"]] if "href" in attrs else []
        if tag == "img":
            assert attrs["alt"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(fitted_file):
    return render(ad.read_h5ad(fitted_file), "A <b> & C", groupby=None, key="dncb_mf")


def test_the_page_is_whole_and_needs_nothing_else(page):
    parsed = Page(page)
    assert parsed.open == []
    assert parsed.sections == ["data", "fit", "diagnostics", "components", "groups"]
    assert parsed.links == [f"#{name}" for name in parsed.sections]
    assert len(parsed.sources) == 7
    for source in parsed.sources:
        assert base64.b64decode(source.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    assert not re.search(r"https?://|url\(|<script|<link", page)


def test_the_page_says_what_the_fit_does(page, fitted_file):
    adata = ad.read_h5ad(fitted_file)
    assert "A &lt;b&gt; &amp; C" in page
    assert adata.uns["dncb_mf"]["verdict"] in page
    best = adata.var_names[adata.varm["dncb_mf_phi"][:, 2].argmax()]
    assert re.search(rf"<td>2</td>\s*<td>{best}, ", page)
    assert "<dt>samples</dt><dd>24</dd>" in page
    assert "$" not in page.split("</style>")[1].split("base64")[0]


def test_a_file_without_groups_has_no_such_section(run_command, fitted_file, tmp_path):
    adata = ad.read_h5ad(fitted_file)
    del adata.obs
    adata.write_h5ad(tmp_path / "bare.h5ad")
    code, out, _ = run_command("report", tmp_path / "bare.h5ad", "-o", tmp_path / "report.html", "--json")
    assert code == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads(out)["bytes"] == len(text.encode())
    assert Page(text).sections == ["data", "fit", "diagnostics", "components"]


def test_errors_are_one_line_and_leave_no_page(run_command, beta_file, tmp_path):
    code, _, err = run_command("report", beta_file, "-o", tmp_path / "report.html")
    assert code == 1
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
    code, _, err = run_command("report", beta_file, "-o", tmp_path / "absent" / "report.html")
    assert code == 1
    assert "no such folder" in err
