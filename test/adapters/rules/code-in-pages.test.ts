// Code inside components, HTML and templates is read by the grammar of its language, on its true
// lines.
import { expect, test } from "vitest";
import { codeInPage } from "../../../src/adapters/rules/code-in-pages.ts";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { growthOf, MOST_GROWTH } from "../../growth/growth.ts";
import { exampleFile } from "./example-file.ts";

const CALL = 'exec("tar czf " + name);';
const IMPORT = 'import { exec } from "node:child_process";';
const RUBY = 'system("tar czf #{params[:name]}")';
const found = async (path: string, text: string) => {
  const { findings, degraded } = await rulesInspector().inspect([exampleFile(path, text)], new Map(), []);
  expect(degraded).toEqual([]);
  return findings.map(({ line, rule }) => `${line} ${rule}`);
};

test.each<[string, string, readonly string[]]>([
  ["a/A.vue", `<template>\n<p/>\n</template>\n<script>\n${IMPORT}\n${CALL}\n</script>\n`, ["6"]],
  [
    "a/B.vue",
    `<script>\nexport default {}\n</script>\n<script setup lang="ts" generic="T extends Map<string, number>">\n${IMPORT}\nconst a: T = 1; ${CALL}\n</script>`,
    ["6"],
  ],
  ["a/C.svelte", `<script lang='ts'>\n${IMPORT}\n</script>\n<p>\n<SCRIPT >\n${CALL}</SCRIPT\n>`, ["6"]],
  ["a/d.astro", `---\n${IMPORT}\nconst name: string = Astro.params.name;\n${CALL}\n---\n<p>{name}</p>\n`, ["4"]],
  ["a/e.html", `<p>\r\n<script>\r\n${IMPORT}\r\n${CALL}\r\n</script>\r\n`, ["4"]],
  ["a/f.erb", `<% if x -%>\n<%= ${RUBY} %>\n<% end %>\n`, ["2"]],
  ["a/g.ejs", `<%# ${CALL} %>\n<% ${IMPORT}\n if (x) { %>\n<p><%- ${CALL} %>\n<% } %>`, ["4"]],
  ["a/h.php", `<?php echo 1; ?>\n<script>\n${IMPORT}\n${CALL}\n</script>`, ["4"]],
  ["a/i.html", `<script type="application/json">\n${IMPORT}\n${CALL}\n</script>`, []],
  ["a/j.html", `<script>${IMPORT}\n// never closed\n${CALL}`, ["3"]],
])("%s", async (path, text, lines) => {
  expect((await found(path, text)).map((one) => one.split(" ")[0])).toEqual(lines);
});

test("a new page of which only the diff is known is read too", async () => {
  const file = exampleFile("a/A.vue", `<script>\n${IMPORT}\n${CALL}\n</script>`);
  const { findings } = await rulesInspector().inspect([{ ...file, headText: null }], new Map(), []);
  expect(findings.map(({ line }) => line)).toEqual([3]);
});

test("a JSP page's code is Java, and a page without code has none", () => {
  const page = "<%@ page x %>\n<%-- no --%>\n<p><%= a() %></p>\n<%! int b; %>\n";
  expect([...codeInPage("a.jsp", page)]).toEqual([["java", "\n\n a() ;\n int b; ;"]]);
  expect([...codeInPage("a.vue", "<template><p/></template>\n<scripts>")]).toEqual([]);
  expect([...codeInPage("a.ts", "<script>a()</script>")]).toEqual([]);
});

test("time grows with size", async () => {
  const units = [
    "<script ",
    '<script "',
    "<script a='</script>' ",
    "<script>a</script>",
    "<% a %>",
    '<script"<script" ',
    "---\n",
  ];
  for (const unit of units) {
    const sized = (size: number) => () => codeInPage("a.erb", unit.repeat(size / unit.length));
    expect([unit, (await growthOf(sized, 65_536, 524_288)).ratio < MOST_GROWTH]).toEqual([unit, true]);
  }
});
