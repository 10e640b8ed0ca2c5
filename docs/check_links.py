"""Check every link within a built site: its file must exist, and its fragment be an id there.

python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect from one element."""
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
        self.links.extend(found[name] for name in ("href", "src") if found.get(name))


def broken_links(root: Path) -> tuple[int, list[str]]:
    """How many links stay within the site, and those of them that lead nowhere."""
    # _static holds templates of the theme, which are no pages.
    paths = [path for path in root.resolve().rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    n_links, broken = 0, []
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            n_links += 1
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            fragment_there = not url.fragment or target not in pages or unquote(url.fragment) in pages[target].ids
            if not target.exists() or not fragment_there:
                broken.append(f"{path.relative_to(root.resolve())}: {link}")
    return n_links, broken


def main() -> None:
    """Print what is broken; exit with 1 if anything is, or if there is no site."""
    n_links, broken = broken_links(Path(sys.argv[1]))
    print(f"{n_links} links within the site, {len(broken)} broken", *broken, sep="\n")
    sys.exit(1 if broken or not n_links else 0)


if __name__ == "__main__":
    main()
