import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyLanguage, isCode, languageShares } from "../../src/domain/code/languages.ts";

const linguist = (path: string, content?: string, siblings?: readonly string[]) =>
  classifyLanguage(path, { content, siblings }).linguist;

describe("the name alone", () => {
  test.each([
    ["src/server.ts", "TypeScript"],
    ["src/App.tsx", "TSX"],
    ["resources/views/home.blade.php", "Blade"],
    ["Dockerfile", "Dockerfile"],
    ["docker/Dockerfile.prod", "Dockerfile"],
    ["dockerfile", "Dockerfile"],
    ["makefile", "Makefile"],
    ["CMakeLists.txt", "CMake"],
    ["Gemfile", "Ruby"],
    ["a.TS", "TypeScript"],
    ["main.CPP", "C++"],
    ["types/index.d.ts", "TypeScript"],
    ["query.sql", "SQL"],
    ["tsconfig.json", "JSON with Comments"],
    ["package.json", "JSON"],
  ])("%s is %s", (path, expected) => {
    expect(linguist(path)).toBe(expected);
  });

  test.each([
    "constructor",
    "src/x.toString",
    "src/a.constructor",
    "__proto__",
    "a.__proto__",
    ".ts",
    "ts",
    "",
    "/",
    ".",
  ])("%j is unknown, although objects inherit it", (path) => {
    expect(classifyLanguage(path)).toEqual({
      language: "unknown",
      name: "Unknown",
      linguist: null,
      type: "unknown",
    });
  });

  test("people read TypeScript where GitHub says TSX, and both share an id", () => {
    expect(classifyLanguage("src/App.tsx")).toEqual({
      language: "typescript",
      name: "TypeScript",
      linguist: "TSX",
      type: "programming",
    });
  });

  test("a program without an extension is guessed from its folder, a licence is not", () => {
    expect(linguist("scripts/release-notes")).toBe("Shell");
    expect(linguist("bin/rails")).toBe("Ruby");
    expect(linguist("bin/setup", "", ["bin/rails", "bin/setup"])).toBe("Ruby");
    expect(linguist("node_modules/semver/bin/semver")).toBe("JavaScript");
    expect(linguist("crates/cli/LICENSE-MIT")).toBeNull();
    expect(linguist("licenses/protobuf-java")).toBeNull();
  });

  test("known contents without a `#!` line are no script, unless the beginning is not among them", () => {
    const content = "This folder holds the release notes.\n";
    expect(classifyLanguage("scripts/about", { content }).linguist).toBeNull();
    expect(classifyLanguage("scripts/about", { content, partial: true }).linguist).toBe("Shell");
  });

  test("never throws and always answers with a linguist name or unknown", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (path, content) => {
        const answer = classifyLanguage(path, { content, siblings: [content] });
        expect(answer.type === "unknown").toBe(answer.linguist === null);
        expect(answer.language).not.toBe("");
      }),
    );
  });
});

describe("headers", () => {
  test("the folder of a header decides first", () => {
    const siblings = ["src/c/list.c", "src/c/list.h", "src/cpp/view.cpp", "ios/App.m"];
    expect(linguist("src/c/list.h", "", siblings)).toBe("C");
    expect(linguist("src/cpp/view.h", "", siblings)).toBe("C++");
    expect(linguist("ios/App.h", "", siblings)).toBe("Objective-C");
  });

  test("with nothing beside it a header is C++ where the change has any, else C [004-08]", () => {
    expect(linguist("include/header.h", "", ["src/main.cpp", "src/utils.hpp"])).toBe("C++");
    expect(linguist("include/header.h", "", ["src/main.cpp", "src/util.c"])).toBe("C++");
    expect(linguist("include/header.h", "", ["src/util.c", "src/one.c", "lib/two.c", "src/main.cc"])).toBe("C++");
    expect(linguist("include/header.h", "", ["src/util.c"])).toBe("C");
    expect(linguist("include/header.h")).toBe("C");
  });

  test("the text of a header outweighs its neighbours", () => {
    expect(linguist("src/view.h", "namespace ui {\nclass View {\n", ["src/main.c"])).toBe("C++");
    expect(linguist("src/View.h", "@interface View : NSObject\n@end\n", ["src/main.c"])).toBe("Objective-C");
  });
});

describe("contents where the name leaves a choice", () => {
  test.each([
    ["de.ts", '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1">', "XML"],
    ["app.ts", "export const a = 1;\n", "TypeScript"],
    ["tool", "#!/usr/bin/env python3\nimport os\n", "Python"],
    ["tool", "#!/usr/bin/env -S node --no-warnings\n", "JavaScript"],
    ["tool", "#!/bin/bash -e\n", "Shell"],
    ["tool", "# -*- mode: ruby -*-\n", "Ruby"],
    ["prover.v", "Require Import List.\nTheorem t : True.\n", "Rocq Prover"],
    ["adder.v", "module adder(input a, output b);\n", "Verilog"],
    ["dosomething.m", "function y = f(x)\n% doubles\ny = 2 * x;\n", "MATLAB"],
    ["View.m", '#import "View.h"\n@implementation View\n', "Objective-C"],
    ["facts.pl", "parent(tom, bob).\nancestor(X, Y) :- parent(X, Y).\n", "Prolog"],
    ["Util.pm", "package Util;\nuse strict;\n", "Perl"],
    ["site.pp", "class nginx {\n  package { 'nginx': }\n}\n", "Puppet"],
    ["schema.sql", "CREATE FUNCTION f() RETURNS void AS $$ BEGIN END $$ LANGUAGE plpgsql;\n", "PLpgSQL"],
    ["light.fs", "#version 330 core\nout vec4 color;\n", "GLSL"],
    ["Parser.fs", "module Parser\nopen System\n", "F#"],
    ["blur.rs", "// Blurs.\n/* One pass. */\n#pragma version(1)\n", "RenderScript"],
    ["old.es", "#!/usr/bin/env escript\n%% -*- erlang -*-\nmain(_) -> ok.\n", "Erlang"],
    ["page.inc", "<?PHP\n#define a\n", "PHP"],
  ])("%s that begins %j is %s", (path, content, expected) => {
    expect(linguist(path, content)).toBe(expected);
  });

  test.each([
    ["app.ts", "export function first<TS>(all: TS[]): TS | undefined {\n", "TypeScript"],
    ["app.ts", "// <!DOCTYPE TS><TS>\n", "TypeScript"],
    ["app.ts", "// vim: ft=xml\n", "TypeScript"],
    ["app.tsx", "<tileset />;\n", "TSX"],
    ["app.tsx", "// -*- mode: xml -*-\n", "TSX"],
    ["a.php", "<?php // <?hh\n", "PHP"],
    ["a.php", "<?hh: system($_GET['a']);\n", "PHP"],
    ["a.php", "<?php # vim: ft=hack\n", "PHP"],
    ["ffi.rs", "//! Reads #include and #pragma version lines.\nfn f() {}\n", "Rust"],
    ["ffi.rs", "/* /* */\n#include\n*/ fn f() {}\n", "Rust"],
    ["ffi.rs", "// -*- renderscript -*-\nfn f() {}\n", "Rust"],
    ["code.gs", "/*\nuses\n*/\nfunction f() {}\n", "JavaScript"],
    ["code.es", "main();\n", "JavaScript"],
  ])("what a runtime takes for code by its name stays code: %s that begins %j is %s", (path, content, expected) => {
    expect(linguist(path, content)).toBe(expected);
  });

  test("a line of a megabyte is read no further than its beginning", () => {
    for (const line of ["a".repeat(1 << 20), "( ".repeat(1 << 19), "[-".repeat(1 << 19), "\n".repeat(1 << 20)]) {
      for (const extension of ["h", "sql", "inc", "m", "pl", "v", "cls", "scm", "pro", "as"]) {
        expect(() => linguist(`a.${extension}`, line)).not.toThrow();
      }
    }
  });
});

describe("shares", () => {
  const file = (path: string, changedLines: number) => ({ language: classifyLanguage(path), changedLines });

  test("the part of each language follows its changed lines, largest first", () => {
    const shares = languageShares([file("a.py", 20), file("b.go", 60), file("c.py", 20), file("README.md", 900)]);
    expect(shares).toEqual([
      { language: "go", name: "Go", share: 0.6, files: 1, changedLines: 60 },
      { language: "python", name: "Python", share: 0.4, files: 2, changedLines: 40 },
    ]);
  });

  test("lock files and prose count for nothing, SQL and templates do", () => {
    const shares = languageShares([file("package-lock.json", 5000), file("q.sql", 5), file("a.html", 5)]);
    expect(shares.map((share) => share.name)).toEqual(["HTML", "SQL"]);
    expect(isCode(classifyLanguage("data.xyz"))).toBe(false);
  });

  test("a change without a line of code has no shares", () => {
    expect(languageShares([file("a.py", 0), file("README.md", 9)])).toEqual([]);
  });

  test("shares sum to one, and an order of files changes nothing", () => {
    const paths = fc.constantFrom("a.ts", "b.tsx", "c.py", "d.md", "e.json", "f.rs", "g.css", "constructor", "h.h");
    const files = fc.array(fc.record({ path: paths, lines: fc.nat(5000) }), { maxLength: 30 });
    fc.assert(
      fc.property(files, (all) => {
        const shares = languageShares(all.map(({ path, lines }) => file(path, lines)));
        const back = languageShares(all.toReversed().map(({ path, lines }) => file(path, lines)));
        expect(back).toEqual(shares);
        const total = shares.reduce((sum, { share }) => sum + share, 0);
        if (shares.length > 0) expect(total).toBeCloseTo(1, 9);
      }),
    );
  });
});
