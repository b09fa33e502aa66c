// Comments of rules name the values and the function at their place; places that differ in these
// names alone share a comment.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FlowHarness, openFlow } from "../app/flow-harness.ts";

let flow: FlowHarness;
beforeAll(async () => {
  flow = await openFlow();
});
afterAll(() => flow.close());

async function bodies(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const repository = await flow.world.repository("acme", `shop-${Object.keys(files)}`, { files: { "README.md": "#" } });
  const pull = await flow.world.pullRequest(repository, { title: "feat: shop", author: "mona", files });
  expect(await flow.settled(pull)).toMatchObject({ state: "done" });
  return flow.world.comments(pull).inline.map(({ body }) => body);
}

test.each<[string, string, string]>([
  ["a.py", "import subprocess\ndef run(name):\n    subprocess.run(f'tar {name}', shell=True)\n", "`name` in `run`"],
  ["b.py", "def calc(code):\n    return eval(code)\n", "`code` in `calc`"],
  [
    "c.js",
    `const go = (req, db) => {\n  db.query(\`SELECT * FROM t WHERE a = '\${req.body.a}'\`);\n};\n`,
    "`req.body.a` in `go`",
  ],
  [
    "d.ts",
    'class A {\n  find(db: any, id: string) {\n    db.query("SELECT * FROM t WHERE a = \'" + id + "\'");\n  }\n}\n',
    "`id` in `find`",
  ],
  [
    "e.go",
    "package a\n\nfunc (s *S) Find(name string) {\n\ts.db.Query(fmt.Sprintf(\"SELECT * FROM t WHERE a = '%s'\", name))\n}\n",
    "`name` in `Find`",
  ],
  ["f.rb", 'def pack(name)\n  system("tar #{name}")\nend\n', "`name` in `pack`"],
  [
    "g.php",
    "<?php\nfunction find($db, $name) {\n  $db->query(\"SELECT * FROM t WHERE a = '$name'\");\n}\n",
    "`$name` in `find`",
  ],
  [
    "h.java",
    'class A {\n  void find(String id) throws Exception {\n    st.executeQuery("SELECT * FROM t WHERE a = \'" + id + "\'");\n  }\n}\n',
    "`id` in `find`",
  ],
])("%s names its values and its function", async (path, code, named) => {
  const [body, ...more] = await bodies({ [path]: code });
  expect(more).toEqual([]);
  expect(body).toContain(`This is about ${named}.`);
});

test("three equal findings, in two files and about other names, are one comment with its places", async () => {
  const [body, ...more] = await bodies({
    "one.py":
      "import os\ndef pack(name):\n    os.system(f'tar {name}')\n\ndef drop(path):\n    os.system(f'rm {path}')\n",
    "two.py": "import os\ndef list(folder):\n    os.system(f'ls {folder}')\n",
  });
  expect(more).toEqual([]);
  expect(body).toContain("This is about `name` in `pack`.");
  expect(body).toMatch(/Also at \[`one\.py:6`\]\([^)]*\), \[`two\.py:3`\]\([^)]*\)\./);
});
