import { expect, test } from "vitest";
import { endpointProblem } from "../../src/config/environment/env-forms.ts";

const LISTED = ["ollama:11434", "build.internal"];

test.each([
  "https://api.github.com",
  "https://github.example.com/api/v3",
  "http://localhost:4010",
  "http://127.0.0.1/x",
  "http://127.8.8.8:80",
  "http://0x7f000001/",
  "http://[::1]:8080",
  "http://ollama:11434/v1",
  "http://build.internal:99",
])("%s may be used", (address) => {
  expect(endpointProblem(address, LISTED)).toBeNull();
});

test.each([
  "http://api.github.com",
  "http://169.254.169.254/latest",
  "http://2852039166/",
  "http://0.0.0.0/",
  "http://[::ffff:7f00:1]/",
  "http://127.0.0.1.evil.example/",
  "http://localhost.evil.example/",
  "http://evil.example#localhost",
  "http://localhost@evil.example/",
  "http://ollama:11435/",
  "http://ollama/",
  "file:///etc/passwd",
  "ftp://localhost/",
  "//localhost",
  "localhost:3000",
  "https://github.example.com/?token=x",
  "https://user:secret@github.example.com/",
  "",
])("%s may not [T5]", (address) => {
  const problem = endpointProblem(address, LISTED);
  expect(problem).toMatch(/^must /);
  expect(problem).not.toContain("evil");
});
