// Patterns that distinguish languages with the same extension, where reviewed repositories use more than one of them; other
// extensions get their likeliest language. One rule per line: extensions | language | flags | pattern. A text table, because
// its patterns are compiled only when such a file occurs, and because it reads as a table.

/** The first matching line wins. The patterns are ours, from the grammars of the languages; each reads in one pass. */
const TABLE = String.raw`
.asm | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.bas | B4X | im | \bA_A_VERSION\b|^Version=\d|\bSub (?:Process_Globals|Class_Globals|Globals)\b|#Region
.bas | FreeBASIC | im | ^[ \t]*#(?:include|define|lang|if|inclib)\b|\b(?:constructor|destructor|namespace)\b|^[ \t]*dim\s+(?:shared\s+)?as\b
.bas | VBA | im | \bVBA\b|^#If (?:VBA7|Mac|Win64)\b|\bPtrSafe\b|\b(?:Application|ActiveSheet|ThisWorkbook|Worksheets?|Range)\b[.(]
.bas | Visual Basic 6.0 | m | ^Attribute VB_Name
.bas | QuickBASIC | m | ^[ \t]*(?:DECLARE|SCREEN|DEFINT|DEFLNG|DEFSNG|CALL|COMMON SHARED)\b|\$(?:DYNAMIC|STATIC|CONSOLE)
.bas | BASIC | im | ^[ \t]*\d+\s+[A-Z]
.bb | BlitzBasic | m | ^[ \t]*(?:Function|Type|Global|Local|Include|Graphics)\b|^[ \t]*;
.bb | BitBake | m | ^[ \t]*(?:inherit|require|DESCRIPTION|SUMMARY|LICENSE|SRC_URI|do_\w+|PV|PR)\b
.bb | Clojure | m | ^[ \t]*\((?:ns|def|defn|require|println)\b|^#!.*\bbb\b
.cairo | Cairo Zero | m | ^%(?:lang|builtins)\b|^from\s+[\w.]+\s+import|^func\s+\w+|^@(?:view|external|storage_var)\b\s*$\s*func
.cake | C# | m | ^[ \t]*#(?:load|addin|tool|reference)\b|^[ \t]*(?:Task|RunTarget|Setup|var)\b.*[(=]
.cake | CoffeeScript | m | ^[ \t]*(?:task|option|\w+\s*=\s*require)\b|->\s*$
.cfg | HAProxy | m | ^[ \t]*(?:frontend|backend|listen|defaults|global)\b(?!\s*=)
.cl | OpenCL | m | __kernel\b|\b(?:__global|__local|get_global_id)\b|^[ \t]*(?:typedef|#pragma|kernel\s+void|void|float|int)\b
.cl | Common Lisp | im | ^[ \t]*\((?:defun|in-package|defpackage|defvar|defparameter|load|let|defmacro)\b
.cl | Cool | im | ^[ \t]*class\s+\w+(?:\s+inherits\s+\w+)?\s*\{
.cls | TeX | m | ^[ \t]*(?:%|\\(?:NeedsTeXFormat|ProvidesClass|LoadClass|def|newcommand|documentclass|RequirePackage))
.cls | ObjectScript | m | ^Class\s+[\w.%]+(?:\s+Extends|\s*$|\s*\[)
.cls | VBA | im | ^VERSION 1\.0 CLASS\s+BEGIN\s+MultiUse[^\n]*\s+END\b
.cls | Visual Basic 6.0 | m | ^VERSION 1\.0 CLASS
.cls | OpenEdge ABL | im | ^[ \t]*(?:using|class)\s+[\w.]+(?:\s+(?:inherits|implements|final|abstract)\b[^\n{]*)?\s*[:.]|^[ \t]*(?:routine-level|block-level|define)\b
.cs | Smalltalk | m | ^![\w\s]+(?:class\s+)?methodsFor:|^[ \t]*"[^\n"]*"\s*$[\s\S]{0,40}!
.cs | C# | m | ^[ \t]*(?:using|namespace|public|internal|class|\/\/|#|\[)
.cs | Smalltalk | m | ^!|!\s*$
.cue | Cue Sheet | m | ^[ \t]*(?:FILE ".*" \w+|TRACK \d\d|REM |PERFORMER ")
.d | Makefile | m | ^[\w./\\-]+\.\w+\s*:(?:\s|$)[^\n;{}]*$|^[ \t]*[\w./-]+\s*:.*\\$
.d | DTrace | m | ^#!.*dtrace|^[ \t]*#pragma D option|^(?:[\w*]*:){3}[\w*-]*\s*(?:$|\/|,|\{)|^[ \t]*(?:BEGIN|END)\s*$|^\w*::
.ex | Euphoria | m | ^[ \t]*(?:include\s+\w|namespace\s|without\s|with\s+trace|procedure\s|export\s|(?:integer|sequence|atom|object)\s+\w)
.ex | Elixir | m | ^[ \t]*(?:defmodule|def|use|import|@\w+)\b|\bdo\s*$
.frag | JavaScript | m | \bfunction\s*\(|=>|^[ \t]*(?:var|let|const)\s+\w+\s*=
.fs | Filterscript | - | #pragma\s+(?:version|rs)|__attribute__\(\(kernel\)\)
.fs | GLSL | m | ^[ \t]*(?:#version|precision|uniform|varying|vec[234]|in\s+vec|out\s+vec)\b
.fs | Forth | m | ^: \S+|^\\ |^new-device
.fs | F# | m | ^[ \t]*(?:#light|open|module|namespace|let|type|\/\/|\(\*)
.gd | GAP | m | \b(?:Declare(?:Operation|GlobalFunction|Attribute|Property|Category|InfoClass|Synonym)|BindGlobal|KeyDependentOperation)\b|^##
.gd | GDScript | m | ^[ \t]*(?:extends|class_name|func|var|const|signal|export|onready|tool|@\w+|enum|#)
.h | Objective-C | m | ^[ \t]*@(?:interface|implementation|protocol|class|property|end|import)\b|^[ \t]*#\s*import\s+["<]
.h | C++ | m | ^[ \t]*(?:class|namespace|template|using|public|private|protected|constexpr)\b(?!\s*[;=,)])|\bstd::|^[ \t]*#\s*include\s*<(?:[a-z_]+|c(?:std\w+|math|assert))>|\bextern\s+"C\+\+"|\bnullptr\b
.html | Ecmarkup | - | <emu-(?:alg|clause|grammar|note|intro|xref)\b
.i | SWIG | m | ^[ \t]*%(?:module|include|extend|template|rename|import|\{|apply|typemap|define|inline)
.i | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.i | Assembly | im | ^[ \t]*(?:\.?(?:globl|global|section|text|align|equ|org)\b|\w+:?\s+(?:equ|db|dw|dd|macro|proc)\b|(?:mov|push|pop|jmp|call|lda|sta|ldi)\s)|^[ \t]*%(?:macro|define|include)
.inc | PHP | - | <\?(?:php|=|\s|$)
.inc | POV-Ray SDL | m | ^[ \t]*#(?:declare|local|version|macro|while|default)\b|^[ \t]*(?:camera|light_source|texture|pigment|union)\s*\{
.inc | SourcePawn | m | ^[ \t]*(?:public\s+(?:plugin|Plugin|Extension|SharedPlugin)|methodmap|native\s+\w+\s+\w+\()|^#pragma\s+newdecls|_included\b[\s\S]*\bnative\s+(?:bool|int|void|float|Handle|Action)\b|\bstock\s+(?:bool|int|void|float)\b
.inc | Pawn | m | ^[ \t]*(?:native|stock|forward)\s+(?:\w+:)?\w+\(|_included\b|^#tryinclude
.inc | NASL | im | ^[ \t]*(?:include|if|function|local_var|global_var|exit|script_\w+|port\s*=)\s*[( ].*[;{)]\s*$|^[ \t]*#.*(?:Tenable|Nessus|OpenVAS)
.inc | BitBake | m | ^[ \t]*(?:inherit|require|SRC_URI|DESCRIPTION|SUMMARY|LICENSE|FILES_|DEPENDS|EXTRA_\w+|PV|PACKAGE_ARCH|[A-Z]{3,}(?::\w+)?)\s*(?:[+?:.]?=|\s")|^do_\w+
.inc | C++ | m | ^[ \t]*(?:#\s*(?:include|define|ifndef|ifdef|if|pragma|undef)\b|namespace\b|template\b|static\b|class\b|const\b|void\b|\w+\([^\n)]*\)\s*,?\s*$)
.inc | HTML | i | <(?:!--|html|div|p|a|table|span|script|h[1-6]|li|ul|td|tr|br|meta)\b
.inc | SQL | im | ^[ \t]*(?:select|create|insert|update|drop|alter|delete|let|eval|--)[^\n;]*$
.inc | Pascal | im | ^[ \t]*(?:\{|\(\*|procedure\b|function\b|type\b|const\b|var\b|begin\b|\{\$)
.inc | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.inc | Assembly | im | ^[ \t]*(?:\.?(?:globl|global|section|text|align|equ|org)\b|\w+:?\s+(?:equ|db|dw|dd|macro|proc)\b|(?:mov|push|pop|jmp|call|lda|sta|ldi)\s)|^[ \t]*%(?:macro|define|include)
.json | OASv2-json | - | "swagger"\s*:\s*"2\.
.json | OASv3-json | - | "openapi"\s*:\s*"3\.
.m | Objective-C | m | ^[ \t]*@(?:interface|implementation|protocol|class|property|end|import)\b|^[ \t]*#\s*import\s+["<]
.m | Mercury | m | ^[ \t]*:-\s*(?:module|interface|import_module|pred|type|func|implementation)\b
.m | MUF | m | ^: \S
.m | M | im | ^[ \t]*;|^\w+(?:\([^\n)]*\))?\s*(?:;|\s(?:[snqdwk]|set|new|quit|do|write|kill)(?::\S+)?\s)
.m | Wolfram Language | m | \(\*|\bBeginPackage\[|:=.*\[|^[ \t]*\w+\[[^\n\]]*_\w*\]
.m | MATLAB | m | ^[ \t]*(?:%|function\b|classdef\b|clear\b|clc\b|close all\b|if\b|for\b|\w+\s*=.*;?\s*$)
.m | Limbo | m | ^[ \t]*(?:include\s+"|\w+\s*:\s*module\b)
.m4 | M4Sugar | m | \bA[CM]_[A-Z_]+|AU_DEFUN|AC_DEFUN|m4_(?:define|ifdef|pattern|init|include)|\bAX_|^dnl.*(?:autoconf|aclocal)
.md | GCC Machine Description | m | ^[ \t]*\(define_(?:insn|expand|attr|constants|cpu_unit|peephole|register_constraint)|^;;
.ml | Standard ML | m | =>\s*(?:fn|case|raise)|^[ \t]*(?:structure|signature|functor|fun|datatype)\s
.mod | XML | - | ^[ \t]*<!ENTITY|^[ \t]*<
.mod | Modula-2 | im | ^[ \t]*(?:(?:DEFINITION|IMPLEMENTATION)[ \t]+)?MODULE\s+\w+\s*(?:\[|;|\()
.mod | NMODL | m | ^[ \t]*(?:NEURON|TITLE|UNITS|PARAMETER|BREAKPOINT)\b
.mod | AMPL | m | ^[ \t]*(?:set|param|var|minimize|maximize|subject to|solve|model)\s+\w
.mod | Linux Kernel Module | m | \.ko\b|^[\w/.-]+\.o\b
.res | XML | - | ^[ \t]*<
.ncl | XML | i | ^[ \t]*<(?:\?xml|ncl|!)
.ncl | Gerber Image | m | ^[DGMT]\d\d\*|^G04|^%FS
.ncl | NCL | m | ^[ \t]*(?:load\s+["$]|begin\b|undef|procedure|;)|\w+\s*=\s*addfile\(|=\s*True\b
.ncl | Nickel | m | ^[ \t]*(?:let\s|import\s|\{|fun\s)
.ncl | Text | - | .
.nu | Nushell | m | ^[ \t]*(?:#!.*\bnu\b|(?:export\s+)?(?:def|extern|module|alias|use|const)\s+|let\s+\w+\s*=|\$env\.|\$in\b|overlay\s)|\|\s*(?:each|where|get|select|into|str|lines|from|to)\b
.nu | Nu | m | ^[ \t]*(?:;|\()
.p | Gnuplot | m | ^[ \t]*(?:set\s+(?:terminal|output|title|xlabel|ylabel|style)|plot|splot|reset)\b|^s?pl?(?:ot)?\b
.p | OpenEdge ABL | - | .
.php | Hack | - | <\?hh
.pkl | Pickle | - | ^(?:\(|c)?(?:dp|lp|ccopy_reg|[A-Za-z_]+\n[A-Za-z_]+\n)|\np\d+\n
.pkl | Pkl | m | ^[ \t]*(?:module|import|amends|extends|class|function|local|@\w+|typealias|\w+\s*(?:=|\{))
.pl | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pl | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^[ \t]*(?:use|package)\s+[A-Z][\w:]*|^[ \t]*(?:my|our|local)\s+[$@%(]|^[ \t]*sub\s+\w+
.pl | Raku | m | ^[ \t]*(?:use\s+v6|(?:unit\s+)?(?:module|grammar|role|class)\s+[\w:]+|(?:multi|proto)\s+\w+)|^[ \t]*use\s+(?:Test|lib)\b|\bmy\s+[$@%][.!?]?\w+-\w
.pm | Raku | m | ^[ \t]*(?:use\s+v6|unit\s|(?:my\s+)?(?:module|grammar|role|class)\s+[\w:]+|multi\s|role\s)
.pm | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^[ \t]*(?:use|package)\s+[A-Z][\w:]*|^[ \t]*(?:my|our|local)\s+[$@%(]|^[ \t]*sub\s+\w+
.pm | X PixMap | - | \/\*\s*XPM
.pp | Puppet | m | ^[ \t]*(?:class|define|node|include|package|file|service|exec|\$\w+\s*=|@?\w+\s*\{\s*['"$])
.pp | Pascal | im | ^[ \t]*(?:unit|program|uses|interface|procedure|function|begin|implementation)\b[^\n{};]*;?\s*$
.pro | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pro | IDL | im | ^[ \t]*(?:function|pro)\s+\w+\s*(?:,|$)|^[ \t]*;\+|\bcompile_opt\b
.pro | INI | m | ^[ \t]*\[\w+\]|last_client=
.pro | QMake | - | \b(?:HEADERS|SOURCES|CONFIG|QT|TEMPLATE|TARGET|SUBDIRS|DEPENDPATH)\b\s*[+\-*]?=
.pro | Proguard | m | ^[ \t]*-(?:keep|dont|optimiz|ignorewarn|assumenosideeffects|renamesource|allow|verbose|libraryjars|injars)
.properties | INI | m | ^[^\n#!;][^\n=:]*[^\n=:\s]\s+=|^[ \t]*;
.properties | Java Properties | m | ^[^\n#!;][^\n=]*=
.r | Rebol | i | \bREBOL\b
.r | Rez | m | ^[ \t]*(?:resource|data|#include\s+["<]|#define|type\s+'|include\s+")
.r | R | m | <-|^[ \t]*(?:#|library\(|function\()
.rs | XML | - | ^[ \t]*<
.rs | RenderScript | - | #include|#pragma\s+(?:rs|version)|__attribute__
.rs | Rust | - | .
.s | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.s | Assembly | m | ^[A-Za-z_.]*[ \t]+(?:EQU|AREA|DCB|DCD|EXPORT|IMPORT|PROC|ENDP)\b|^[ \t]*;
.sc | SuperCollider | m | \b(?:this|super)\.(?!\w+\s*=>)\w+|^[ \t]*[+]\s*\w+\s*\{|^[ \t]*\w+\s*:\s*\w+\s*\{|^[ \t]*\*\w+\s*\{|\{\s*\|[\w\s,.]+\||^[ \t]*(?:var|arg)\s+<?>?\w+|~\w+|SynthDef|\.ar\(
.sc | Scala | m | ^[ \t]*(?:import|package|object|class|trait|def|val|case)\s
.scm | Tree-sitter Query | m | ^[ \t]*\([a-z_]+(?:\s|\))[^\n;]*@|@[a-z]+(?:\.[a-z]+)*\s*\)?\s*$|^; inherits|\(#(?:match|eq|any-of|set|lua-match|not)|^\[\s*$
.scd | Markdown | m | ^#+\s|^[ \t]*[-*] 
.sls | Scheme | - | ^[ \t]*[(;#]!?(?:r6rs|library|import|;)?
.sls | Salt | - | .
.sol | Gerber Image | m | ^[DGMT]\d\d\*
.spec | RPM Spec | m | ^(?:Name|Version|Summary|%define|%global|%description|%package)\b
.spec | Ruby | m | \b(?:describe|context|it)\s+["':]|^require\s+['"]
.spec | Python | im | ^[ \t]*(?:a\s*=\s*Analysis|import|from|block_cipher|def|# -\*-)
.sql | PLpgSQL | im | \blanguage\s+'?plpgsql'?|\$\$|\$(?:body|func|function|do)\$|\bset\s+(?:search_path|client_encoding)\b|\bcreate\s+extension\b|^\\(?:echo|i|connect|unset)\b|\bbegin\b[^\n;]*;[\s\S]{0,400}\braise\s+(?:notice|exception)\b
.sql | SQLPL | im | \blanguage\s+sql\b|\bbegin\s+atomic\b|\b(?:declare|signal)\s+sqlstate\b|\bmode\s+db2sql\b|\bdynamic\s+result\s+sets?\b|\bterminate\s*[!@]?\s*$
.sql | PLSQL | im | \bvarchar2\b|\bpragma\b|\bdbms_|\bauthid\b|\bcreate\s+or\s+replace\s+(?:package|type|force\s+view|trigger|and)|^[ \t]*\/\s*$|\bsysdate\b|\bnumber\(\d
.sql | TSQL | im | ^[ \t]*GO\s*$|\[dbo\]|\bset\s+(?:ansi_nulls|quoted_identifier|nocount)\b|^[ \t]*declare\s+@|\bbegin\s+(?:try|catch)\b|\bdbo\.
.st | StringTemplate | m | ^[ \t]*(?:group\s|delimiters\s)|\$\w+[^\n$\n]*\$|<%|<[!/]?[a-z]+>
.st | Smalltalk | - | .
.sw | XML | - | ^[ \t]*<
.sw | Sway | - | .
.t | Terra | m | \bterra\b|\bterralib\b|^[ \t]*local\s+\w+\s*=
.t | Raku | m | ^[ \t]*(?:use\s+v6|(?:unit\s+)?(?:module|grammar|role|class)\s+[\w:]+|(?:multi|proto)\s+\w+)|^[ \t]*use\s+(?:Test|lib)\b|\bmy\s+[$@%][.!?]?\w+-\w
.t | Perl | m | \buse\s+(?:strict|warnings|lib|Test|v?5)|^#!.*perl|[$@%]\w+
.t | Turing | m | ^[ \t]*%|^[ \t]*(?:var|const|put|get|proc|procedure|function|import|loop)\b.*$|:=
.tact | JSON | - | ^[ \t]*\{\s*"
.tpl | Go Template | - | \{\{-?\s*(?:if|range|define|template|include|end|with|block|\.|\/\*|\$)
.tpl | Smarty | - | .
.ts | XML | - | <TS\b|<!DOCTYPE TS>
.tsx | XML | - | ^[ \t]*<tileset
.tsx | TSX | - | .
.txt | Vim Help File | m | ^\*\S+\.txt\*|(?:^|[ \t])vim:.{0,80}\b(?:ft|filetype)=help
.txt | Adblock Filter List | m | ^\[(?:uBlock|Adblock|uBO)[^\n\]]*\]|^! Title:
.v | Rocq Prover | m | ^[ \t]*(?:Require|Import|From\s+\w+\s+Require|Theorem|Lemma|Proof|Section|Definition|Inductive|Fixpoint|Module|Export|Set\s+Implicit)\b|\(\*
.v | Verilog | m | ^[ \t]*(?:module\s+\w+\s*(?:#|\(|;|$)|\x60(?:define|timescale|include|ifdef|default_nettype)|endmodule|always\s*@|initial\s+begin|assign\s|input\s|output\s|wire\s|reg\s)
.v | V | m | \bfn\s+(?:\([^\n)]*\)\s*)?\w+|^[ \t]*(?:module|import|struct|pub\s|\$if|#flag|const\s*\()
.yaml .yml | MiniYAML | m | ^\t+(?:-?\w|\^)
.yaml .yml | OASv2-yaml | m | ^swagger:\s*['"]?2\.
.yaml .yml | OASv3-yaml | m | ^openapi:\s*['"]?3\.
.cgi | Python | m | ^[ \t]*(?:import|from)\s+\w+
.cgi | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^[ \t]*(?:use|package)\s+[A-Z][\w:]*|^[ \t]*(?:my|our|local)\s+[$@%(]|^[ \t]*sub\s+\w+
.cgi | Shell | m | ^[ \t]*(?:echo|export|if \[)
`;

interface Telling {
  /** Linguist's name. */
  readonly language: string;
  readonly pattern: RegExp;
}

const rules = Map.groupBy(
  TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [extensions = "", language = "", flags = "", ...pattern] = line.split(" | ");
      const source = { language, flags: flags.replace("-", ""), pattern: pattern.join(" | ") };
      return extensions.split(" ").map((extension) => ({ extension, source }));
    }),
  ({ extension }) => extension,
);

const compiled = new Map<string, readonly Telling[]>();

/** The rules of an extension (lower-cased, with its dot) in the order of trial; [] without any. */
export function tellingWords(extension: string): readonly Telling[] {
  const found =
    compiled.get(extension) ??
    (rules.get(extension) ?? []).map(({ source }) => ({
      language: source.language,
      pattern: new RegExp(source.pattern, source.flags),
    }));
  compiled.set(extension, found);
  return found;
}
