"""The check of the documentation: a link that does not resolve and an example that does not compile are found."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / ".ci")]

from steps import catalogue, symbols  # noqa: E402

ROOT = "# Lamps\n\nA catalogue.\n\n@Metadata {\n    @TechnologyRoot\n}\n\n## Topics\n\n### Articles\n\n- <doc:Light>\n"
ARTICLE = "# Light\n\nAn article.\n\n## Overview\n\nSee ``/{module}/Lamp``.\n\n```swift\n{code}\n```\n"


def graph(module: str, comment: str) -> str:
    """Returns the symbol graph of a module with the public struct `Lamp` and its doc comment."""
    version = {"major": 0, "minor": 6, "patch": 0}
    line = {"range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 99}}, "text": comment}
    lamp = {
        "accessLevel": "public", "docComment": {"module": module, "uri": "file:///Lamp.swift", "lines": [line]},
        "declarationFragments": [{"kind": "keyword", "spelling": "struct Lamp"}],
        "identifier": {"interfaceLanguage": "swift", "precise": f"s:{module}4LampV"},
        "kind": {"displayName": "Structure", "identifier": "swift.struct"}, "names": {"title": "Lamp"}, "pathComponents": ["Lamp"]}
    return json.dumps({
        "metadata": {"formatVersion": version, "generator": "test"}, "module": {"name": module, "platform": {}},
        "symbols": [lamp], "relationships": []})


class DocumentationTests(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.catalogue = self.place / "Lamps.docc"
        self.catalogue.mkdir()
        (self.catalogue / "Patterns.md").write_text(ROOT)
        for module in ("Lamps", "Bulbs"):
            (self.place / "graphs" / module).mkdir(parents=True)
        self.comment("Lamps", "A lamp.")
        self.comment("Bulbs", "A bulb for ``/Lamps/Lamp``; see ``Lamp``.")

    def comment(self, module: str, text: str) -> None:
        """Writes the graph of a module."""
        (self.place / "graphs" / module / f"{module}.symbols.json").write_text(graph(module, text))

    def write(self, module: str = "Lamps", code: str = "let lamp = 1") -> None:
        """Writes the article, with a link to a symbol of a module and an example."""
        (self.catalogue / "Light.md").write_text(ARTICLE.format(module=module, code=code))

    def warnings(self) -> list[str]:
        """Returns what docc reports about the catalogue."""
        docc = catalogue.find_docc()
        if docc is None:
            self.skipTest("there is no docc")
        return catalogue.convert(docc, ["Lamps", "Bulbs"], self.place / "graphs", self.catalogue, self.place / "pages")

    def test_links_to_symbols_of_each_module_resolve(self) -> None:
        for module in ("Lamps", "Bulbs"):
            self.write(module)
            self.assertEqual(self.warnings(), [])
        for page in ("bulbs/lamp", "lamps/lamp", "patterns", "patterns/light"):
            self.assertTrue((self.place / f"pages/data/documentation/{page}.json").exists(), page)

    def test_a_link_that_does_not_resolve_is_reported(self) -> None:
        self.write("Lanterns")
        found = self.warnings()
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"Light\.md:7:\d+.*Lanterns")

    def test_a_link_of_a_doc_comment_that_does_not_resolve_is_reported(self) -> None:
        self.write()
        self.comment("Bulbs", "A bulb; see ``HiddenLamp``.")
        self.assertRegex("\n".join(self.warnings()), "^[^\n]*warning: 'HiddenLamp' doesn't exist[^\n]*$")
        self.comment("Bulbs", "A bulb.")
        self.comment("Lamps", "A lamp for ``/Bulbs/Lamp``, which is in a later module.")
        self.assertRegex("\n".join(self.warnings()), "warning: .*Bulbs")

    def test_an_article_that_is_not_valid_is_reported(self) -> None:
        self.write()
        (self.catalogue / "Patterns.md").write_text(ROOT.replace("<doc:Light>", "<doc:Dark>"))
        self.assertRegex("\n".join(self.warnings()), r"Patterns\.md:13:.*Dark")

    def test_a_failure_without_a_warning_is_reported(self) -> None:
        self.write()
        self.assertEqual(
            catalogue.convert("false", ["Lamps"], self.place / "graphs", self.catalogue, self.place / "pages"),
            ["false convert ended with status 1: "])

    def test_examples_have_the_lines_of_their_article(self) -> None:
        self.write(code="let one = 1\nlet two = 2")
        article = self.catalogue / "Light.md"
        self.assertEqual(
            catalogue.examples(self.catalogue),
            {"Light1.swift": f'#sourceLocation(file: "{article}", line: 10)\nlet one = 1\nlet two = 2\n'})

    def test_an_example_that_does_not_compile_is_reported(self) -> None:
        self.write(code="let lamp: Int = 1")
        self.assertEqual(catalogue.compile_errors(catalogue.examples(self.catalogue), []), [])
        self.write(code='let lamp: Int = "on"')
        found = catalogue.compile_errors(catalogue.examples(self.catalogue), [])
        self.assertIn(f"{self.catalogue / 'Light.md'}:10:17: error: ", "\n".join(found))

    def test_each_article_of_the_repository_has_an_example(self) -> None:
        articles = {path.stem for path in catalogue.CATALOGUE.glob("*.md")} - {"Patterns"}
        examples = catalogue.examples(catalogue.CATALOGUE)
        self.assertEqual(articles, {re.sub(r"[0-9]+\.swift$", "", name) for name in examples})
        self.assertGreater(len(articles), 6)

    def test_docc_is_searched_for_next_to_swift_and_on_the_path(self) -> None:
        for name in ("toolchain/swift", "other/docc"):
            (self.place / name).parent.mkdir()
            (self.place / name).touch(0o755)
        with mock.patch.dict(os.environ, PATH=str(self.place / "toolchain")):
            self.assertIsNone(catalogue.find_docc())
        with mock.patch.dict(os.environ, PATH=f"{self.place}/toolchain:{self.place}/other"):
            self.assertEqual(catalogue.find_docc(), str(self.place / "other/docc"))
            (self.place / "toolchain/docc").touch(0o755)
            self.assertEqual(catalogue.find_docc(), str(self.place / "toolchain/docc"))

    def test_graphs_are_extracted_again_if_the_module_is_newer(self) -> None:
        build, place = self.place / "build", self.place / "graphs"
        (build / "Modules").mkdir(parents=True)
        file = place / "Lamps/Lamps.symbols.json"
        self.assertTrue(symbols.is_current("Lamps", build, place))
        self.assertFalse(symbols.is_current("Lanterns", build, place))
        for name in ("Lamps.swiftmodule", "Lamps.swiftdoc"):
            (build / "Modules" / name).touch()
            os.utime(build / "Modules" / name, ns=(0, file.stat().st_mtime_ns + 1))
            self.assertFalse(symbols.is_current("Lamps", build, place))
            (build / "Modules" / name).unlink()


if __name__ == "__main__":
    unittest.main()
