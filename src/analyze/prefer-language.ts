// The language of an extension with several claimants when the content does not decide.

/**
 * The most likely language where it is not the first programming language of the table: counted on labelled paths of
 * public repositories that have the extension, else the language with far more public code.
 */
const PREFERRED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Roff Manpage": ".1 .2 .3 .4 .5 .6 .7 .8 .9 .man",
    AsciiDoc: ".asc",
    "Visual Basic 6.0": ".bas .frm",
    INI: ".cfg",
    OpenCL: ".cl",
    SQL: ".ddl .sql",
    JavaScript: ".es .gs",
    Fortran: ".f .for",
    PHP: ".fcgi .inc .php",
    FreeMarker: ".ftl",
    HLSL: ".fx",
    GDScript: ".gd",
    HTML: ".html",
    SWIG: ".i",
    jq: ".jq",
    Lex: ".l",
    "Lean 4": ".lean",
    "Objective-C": ".m",
    M4Sugar: ".m4",
    Markdown: ".md",
    "Modula-2": ".mod",
    Roff: ".ms",
    "ROS Interface": ".msg",
    Nushell: ".nu",
    "OpenEdge ABL": ".p",
    "pkg-config": ".pc",
    "XML Property List": ".plist",
    Puppet: ".pp",
    QMake: ".pro",
    "Java Properties": ".properties",
    Reason: ".re",
    "Ren'Py": ".rpy",
    Rust: ".rs",
    "RouterOS Script": ".rsc",
    "Unix Assembly": ".s",
    "KiCad Schematic": ".sch",
    ShaderLab: ".shader",
    "RPM Spec": ".spec",
    "SubRip Text": ".srt",
    Text: ".txt",
    Verilog: ".v",
    XML: ".workflow",
    YAML: ".yaml .yml",
  }).flatMap(([language, extensions]) => extensions.split(" ").map((extension) => [extension, language])),
);

/**
 * @param extension lower-cased, with its dot
 * @param candidates linguist names that claim the extension; at least one
 * @param isProgramming distinguishes code from data
 */
export function preferLanguage(
  extension: string,
  candidates: readonly string[],
  isProgramming: (name: string) => boolean,
): string | undefined {
  const preferred = PREFERRED.get(extension);
  if (preferred !== undefined && candidates.includes(preferred)) return preferred;
  return candidates.find(isProgramming) ?? candidates[0];
}
