// As much of PromQL as tells whether an expression is one: selectors, ranges, functions,
// aggregations, operators. What it names comes back. Subqueries, offsets and `@` are not used here
// and count as mistakes.

/** A selector, with the labels that it and the aggregations around it name. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(\$?\w[\w:]*(?:\.\d+)?)|(=~|!~|!=|==|>=|<=|[-+*/%^<>=(){}[\],]))/y;
const AGGREGATIONS = new Set(["sum", "min", "max", "avg", "count"]);
/** Function → how many arguments; a range where it needs one. */
const FUNCTIONS: ReadonlyMap<string, { readonly args: number; readonly range: boolean }> = new Map([
  ["rate", { args: 1, range: true }],
  ["increase", { args: 1, range: true }],
  ["delta", { args: 1, range: true }],
  ["histogram_quantile", { args: 2, range: false }],
  ["scalar", { args: 1, range: false }],
]);
const LEVELS = [["or"], ["and", "unless"], ["==", "!=", "<", ">", "<=", ">="], ["+", "-"], ["*", "/", "%"], ["^"]];

/** @throws Error naming what was expected where */
export function readPromql(text: string): readonly Selector[] {
  const tokens = tokenise(text);
  let at = 0;
  const found: Selector[] = [];
  const next = () => tokens[at] ?? "the end";
  const fail = (wanted: string): never => {
    throw new Error(`${wanted} expected, ${next()} found, in ${text}`);
  };
  const takeIf = (wanted: string) => {
    if (next() !== wanted) return false;
    at += 1;
    return true;
  };
  const take = (wanted: string) => {
    if (!takeIf(wanted)) fail(wanted);
  };

  expression(0);
  if (at < tokens.length) fail("the end");
  return found;

  function expression(level: number): void {
    if (level === LEVELS.length) unary();
    else {
      expression(level + 1);
      while (LEVELS[level]?.includes(next())) {
        at += 1;
        expression(level + 1);
      }
    }
  }

  function unary(): void {
    if (takeIf("(")) {
      expression(0);
      take(")");
    } else if (/^\d+(?:\.\d+)?$/.test(next())) at += 1;
    else named();
  }

  function named(): void {
    const word = next();
    if (!/^[a-z_][\w:]*$/i.test(word)) fail("a value");
    at += 1;
    const called = FUNCTIONS.get(word);
    if (AGGREGATIONS.has(word)) aggregation();
    else if (called !== undefined) call(called);
    else if (next() === "(") fail(`a known function instead of ${word}`);
    else selector(word, false);
  }

  function call({ args, range }: { readonly args: number; readonly range: boolean }): void {
    take("(");
    for (let n = 0; n < args; n += 1) {
      if (n > 0) take(",");
      if (range) {
        const name = next();
        at += 1;
        selector(name, true);
      } else expression(0);
    }
    take(")");
  }

  function aggregation(): void {
    const by: string[] = [];
    if (takeIf("by")) {
      take("(");
      do {
        by.push(next());
        at += 1;
      } while (takeIf(","));
      take(")");
    }
    const from = found.length;
    take("(");
    expression(0);
    take(")");
    for (let i = from; i < found.length; i += 1) {
      const one = found[i];
      if (one !== undefined) found[i] = { ...one, labels: [...one.labels, ...by] };
    }
  }

  function selector(metric: string, isRange: boolean): void {
    const labels: string[] = [];
    if (takeIf("{")) {
      do {
        labels.push(next());
        at += 1;
        if (!["=", "!=", "=~", "!~"].includes(next())) fail("a matcher");
        at += 1;
        if (!next().startsWith('"')) fail("a string");
        at += 1;
      } while (takeIf(","));
      take("}");
    }
    if (takeIf("[")) {
      if (!isRange) fail("no range");
      if (!/^(?:\d+[smhd]|\$__rate_interval)$/.test(next())) fail("a duration");
      at += 1;
      take("]");
    } else if (isRange) fail("a range");
    found.push({ metric, labels });
  }
}

function tokenise(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const whole = text.trimEnd();
  while (TOKEN.lastIndex < whole.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(whole);
    if (match === null) throw new Error(`${JSON.stringify(whole.slice(from, from + 20))} is no PromQL`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return tokens;
}
