// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of shells and workflows.
// More cases of the rules in line/shell.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const SHELL: Cases = {
  "download-piped-to-shell": {
    bad: [
      { path: "Dockerfile", code: "RUN wget -qO- http://files.acme.io/setup.sh | sh" },
      { path: "scripts/setup.sh", code: 'bash -c "$(curl -fsSL https://get.acme.io/install)"' },
    ],
    good: [
      { path: "scripts/setup.sh", code: "curl https://sh.rustup.rs -sSf | sh -s -- -y" },
      { path: "scripts/api.sh", code: "curl -s https://api.acme.io | jq .status | grep -q sh" },
    ],
  },
  "rm-of-empty-variable": {
    bad: [{ path: "scripts/clean.sh", code: "rm -rf $CACHE/" }],
    good: [
      { path: "scripts/clean.sh", code: 'set -euo pipefail\nrm -rf "$BUILD_DIR"/*' },
      { path: "scripts/clean.sh", code: 'BUILD_DIR=out\nrm -rf "$BUILD_DIR"/*' },
      { path: "scripts/clean.sh", code: 'rm -rf "$BUILD_DIR/out"' },
    ],
  },
  "shell-eval-of-variable": {
    bad: [{ path: "scripts/run.sh", code: "eval $user_command --now" }],
    good: [
      { path: "scripts/run.sh", code: '# eval "$1"\n"${command[@]}"' },
      { path: "src/run.py", code: "eval(x)" },
    ],
  },
  "file-writable-by-everybody": {
    bad: [{ path: "scripts/install.sh", code: "chmod a+rwx /var/lib/acme" }],
    good: [
      { path: "scripts/install.sh", code: "# chmod 777 is wrong\nchmod u+rwx /var/lib/acme\nchmod 1777 /tmp/acme" },
    ],
  },
};
