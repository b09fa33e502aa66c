// Fixes of published vulnerabilities, taken back: our own few lines in the style of each project,
// safe before and not after. What rules find of them without a model is in eval/README.md.
import { afterAll, expect, test } from "vitest";
import { codeSymbols } from "../../../src/adapters/code-index/symbols.ts";
import { rulesInspector } from "../../../src/adapters/rules/inspector.ts";
import { inspectRepository } from "../../../src/adapters/rules/repository/inspect-repository.ts";
import { exampleChange } from "./repository/example-change.ts";

const symbols = codeSymbols();
afterAll(() => symbols.close());

interface Reversal {
  readonly name: string;
  readonly path: string;
  readonly safe: string;
  readonly unsafe: string;
  /** The rule that finds it; null: no general rule does. */
  readonly rule: string | null;
}

const REVERSALS: readonly Reversal[] = [
  {
    name: "paramiko CVE-2018-7750",
    path: "link/transport.py",
    safe: `class Transport:
    def run(self):
        kind, message = self.packets.read()
        if kind in self.handlers:
            if not self.is_authenticated() and kind > HIGHEST_BEFORE_LOGIN:
                self.send_failure(message)
                continue
            self.handlers[kind](self, message)
    def is_authenticated(self):
        return self.login is not None
`,
    unsafe: `class Transport:
    def run(self):
        kind, message = self.packets.read()
        if kind in self.handlers:
            self.handlers[kind](self, message)
    def is_authenticated(self):
        return self.login is not None
`,
    rule: "check-removed",
  },
  {
    name: "paramiko CVE-2018-1000805",
    path: "link/auth_handler.py",
    safe: `class AuthHandler:
    server_table = {REQUEST: parse_request}
    client_table = {SUCCESS: parse_success, FAILURE: parse_failure}

    @property
    def handlers(self):
        if self.transport.server_mode:
            return self.server_table
        return self.client_table
`,
    unsafe: `class AuthHandler:
    handlers = {REQUEST: parse_request, SUCCESS: parse_success, FAILURE: parse_failure}
`,
    rule: null,
  },
  {
    name: "paramiko CVE-2022-24302",
    path: "link/pkey.py",
    safe: `import os

def write_private_key(filename, key):
    with os.fdopen(os.open(filename, os.O_WRONLY | os.O_TRUNC | os.O_CREAT, mode=0o600), "w") as f:
        f.write(key)
`,
    unsafe: `import os

def write_private_key(filename, key):
    with open(filename, "w") as f:
        os.chmod(filename, 0o600)
        f.write(key)
`,
    rule: "rights-narrowed-late",
  },
  {
    name: "minimist prototype pollution",
    path: "lib/options.js",
    safe: `function setKey(obj, keys, value) {
  var o = obj;
  for (var i = 0; i < keys.length - 1; i++) {
    var key = keys[i];
    if (key === '__proto__') return;
    if (o[key] === undefined) o[key] = {};
    o = o[key];
  }
  o[keys[keys.length - 1]] = value;
}
`,
    unsafe: `function setKey(obj, keys, value) {
  var o = obj;
  for (var i = 0; i < keys.length - 1; i++) {
    var key = keys[i];
    if (o[key] === undefined) o[key] = {};
    o = o[key];
  }
  o[keys[keys.length - 1]] = value;
}
`,
    rule: "check-removed",
  },
  {
    name: "requests CVE-2018-18074",
    path: "web/sessions.py",
    safe: `class Redirects:
    def rebuild_auth(self, prepared, response):
        headers = prepared.headers
        if "Authorization" in headers and self.should_strip_auth(response.request.url, prepared.url):
            del headers["Authorization"]

    def should_strip_auth(self, old_url, new_url):
        old, new = urlparse(old_url), urlparse(new_url)
        return old.hostname != new.hostname or old.scheme != new.scheme or old.port != new.port
`,
    unsafe: `class Redirects:
    def rebuild_auth(self, prepared, response):
        headers = prepared.headers
        if "Authorization" in headers and urlparse(response.request.url).hostname != urlparse(prepared.url).hostname:
            del headers["Authorization"]
`,
    rule: null,
  },
  {
    name: "requests CVE-2024-35195",
    path: "web/adapters.py",
    safe: `class Adapter:
    def send(self, request, verify=True, cert=None):
        pool = self.pools.connection_from_host(**key_of(request, verify, cert))
        return pool.urlopen(request)
`,
    unsafe: `class Adapter:
    def send(self, request, verify=True, cert=None):
        pool = self.pools.connection_from_url(request.url)
        self.cert_verify(pool, verify, cert)
        return pool.urlopen(request)
`,
    rule: null,
  },
  {
    name: "gorilla/websocket CVE-2020-27813",
    path: "conn.go",
    safe: `package socket

func (c *Conn) advanceFrame(remaining int64) (int, error) {
	c.readLength += remaining
	if c.readLength < 0 {
		return noFrame, ErrReadLimit
	}
	return c.read(c.readLength)
}
`,
    unsafe: `package socket

func (c *Conn) advanceFrame(remaining int64) (int, error) {
	c.readLength += remaining
	return c.read(c.readLength)
}
`,
    rule: "check-removed",
  },
  {
    name: "zip slip",
    path: "unzip.go",
    safe: `package unzip

func extract(archive *zip.Reader, folder string) error {
	for _, f := range archive.File {
		target := filepath.Join(folder, f.Name)
		if !strings.HasPrefix(target, filepath.Clean(folder)+string(os.PathSeparator)) {
			return errIllegalPath
		}
		write(target, f)
	}
	return nil
}
`,
    unsafe: `package unzip

func extract(archive *zip.Reader, folder string) error {
	for _, f := range archive.File {
		target := filepath.Join(folder, f.Name)
		write(target, f)
	}
	return nil
}
`,
    rule: "check-removed",
  },
  {
    name: "Grafana CVE-2021-43798",
    path: "pkg/api/plugins.go",
    safe: `package api

func (s *Server) pluginAsset(c *Context) {
	requested := filepath.Clean(filepath.Join("/", web.Params(c.Req)["*"]))
	name := filepath.Join(plugin.Dir, requested)
	serve(c, name)
}
`,
    unsafe: `package api

func (s *Server) pluginAsset(c *Context) {
	requested := filepath.Clean(web.Params(c.Req)["*"])
	name := filepath.Join(plugin.Dir, requested)
	serve(c, name)
}
`,
    rule: "path-traversal",
  },
  {
    name: "phpunit CVE-2017-9841",
    path: "src/Util/run-stdin.php",
    safe: "<?php\neval('?>' . file_get_contents('php://stdin'));\n",
    unsafe: "<?php\neval('?>' . file_get_contents('php://input'));\n",
    rule: "eval-of-input",
  },
  {
    name: "Rails `render file` CVE-2016-0752",
    path: "app/controllers/pages_controller.rb",
    safe: `class PagesController < ApplicationController
  def show
    render template: PAGES.fetch(params[:page])
  end
end
`,
    unsafe: `class PagesController < ApplicationController
  def show
    render file: params[:page]
  end
end
`,
    rule: "path-traversal",
  },
  {
    name: "Django CVE-2022-34265",
    path: "db/operations.py",
    safe: `class Operations:
    def date_trunc_sql(self, lookup_type, field_name):
        if not self.prep_pattern.fullmatch(lookup_type):
            raise ValueError("Invalid lookup type")
        return "DATE_TRUNC('%s', %s)" % (lookup_type, field_name)
`,
    unsafe: `class Operations:
    def date_trunc_sql(self, lookup_type, field_name):
        return "DATE_TRUNC('%s', %s)" % (lookup_type, field_name)
`,
    rule: "check-removed",
  },
  {
    name: "Heartbleed CVE-2014-0160",
    path: "ssl/heartbeat.c",
    safe: `int process_heartbeat(SSL *s) {
    n2s(p, payload);
    if (1 + 2 + payload + 16 > s->record.length)
        return 0;
    memcpy(answer, p, payload);
    return 1;
}
`,
    unsafe: `int process_heartbeat(SSL *s) {
    n2s(p, payload);
    memcpy(answer, p, payload);
    return 1;
}
`,
    rule: "check-removed",
  },
];

async function found(path: string, before: string, code: string): Promise<readonly string[]> {
  const { file, snapshot } = exampleChange({ path, before, code });
  const repository = { symbols, at: async () => ({ snapshot, degraded: [] }) };
  const said = [
    await rulesInspector().inspect([file], new Map(), []),
    await inspectRepository([file], new Map(), repository),
  ];
  return said.flatMap(({ findings }) => findings.map(({ rule }) => String(rule)));
}

test("of each reversed fix rules find what is written here", async () => {
  const said = [];
  for (const { name, path, safe, unsafe, rule } of REVERSALS) {
    const rules = await found(path, safe, unsafe);
    said.push([name, rule === null ? (rules[0] ?? null) : (rules.find((one) => one === rule) ?? null)]);
  }
  expect(said).toEqual(REVERSALS.map(({ name, rule }) => [name, rule]));
});

test("of the fixes themselves rules say nothing", async () => {
  const said = [];
  for (const { name, path, safe, unsafe } of REVERSALS) said.push([name, await found(path, unsafe, safe)]);
  expect(said).toEqual(REVERSALS.map(({ name }) => [name, []]));
});
