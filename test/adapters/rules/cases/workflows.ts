// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of shells and workflows.
// Cases of the rules in line/workflows.ts, by rule.
import type { Cases } from "../rule-cases.ts";

const WORKFLOW = ".github/workflows/ci.yml";

export const WORKFLOWS: Cases = {
  "workflow-runs-untrusted-code": {
    bad: [
      {
        path: WORKFLOW,
        code: "on:\n  pull_request_target:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n      - run: npm ci",
      },
      {
        path: WORKFLOW,
        code: "on: [pull_request_target]\njobs:\n  a:\n    steps:\n      - run: gh pr checkout $NUMBER && make",
      },
    ],
    good: [
      {
        path: WORKFLOW,
        code: "on:\n  pull_request:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}",
      },
      {
        path: WORKFLOW,
        code: "on: pull_request_target\njobs:\n  label:\n    steps:\n      - uses: actions/labeler@v5",
      },
    ],
  },
  "workflow-script-injection": {
    bad: [
      { path: WORKFLOW, code: '    steps:\n      - run: echo "${{ github.event.pull_request.title }}"' },
      {
        path: WORKFLOW,
        code: "    steps:\n      - name: Branch\n        run: |\n          git checkout ${{ github.head_ref }}",
      },
    ],
    good: [
      {
        path: WORKFLOW,
        code: '      - run: echo "$TITLE"\n        env:\n          TITLE: ${{ github.event.pull_request.title }}',
      },
      { path: WORKFLOW, code: "      - run: echo ${{ github.event.pull_request.number }} ${{ github.sha }}" },
      { path: WORKFLOW, code: "concurrency:\n  group: ci-${{ github.head_ref }}" },
    ],
  },
  "workflow-action-on-branch": {
    bad: [
      { path: WORKFLOW, code: "      - uses: acme/deploy-action@main" },
      { path: WORKFLOW, code: "      - uses: someone/setup/sub@master # latest" },
    ],
    good: [
      {
        path: WORKFLOW,
        code: "      - uses: acme/deploy-action@8f4b7f84864484a7bf31766abe9204da3cbe65b3 # v3.5.0",
      },
      {
        path: WORKFLOW,
        code: "      - uses: actions/checkout@main\n      - uses: ./local/action\n      - uses: acme/deploy-action@v2",
      },
    ],
  },
  "workflow-write-all": {
    bad: [
      { path: WORKFLOW, code: "permissions: write-all" },
      { path: WORKFLOW, code: "jobs:\n  a:\n    permissions: write-all # later" },
    ],
    good: [
      { path: WORKFLOW, code: "permissions: read-all" },
      { path: WORKFLOW, code: "permissions:\n  contents: write" },
    ],
  },
  "workflow-prints-secret": {
    bad: [
      { path: WORKFLOW, code: '      - run: echo "token is ${{ secrets.DEPLOY_TOKEN }}"' },
      { path: WORKFLOW, code: "        env:\n          ALL: ${{ toJSON(secrets) }}" },
    ],
    good: [
      { path: WORKFLOW, code: '      - run: echo "${{ secrets.DEPLOY_KEY }}" > key.pem' },
      { path: WORKFLOW, code: '      - run: echo "${{ secrets.REGISTRY }}" | docker login --password-stdin' },
      { path: WORKFLOW, code: "        env:\n          TOKEN: ${{ secrets.DEPLOY_TOKEN }}" },
    ],
  },
};
