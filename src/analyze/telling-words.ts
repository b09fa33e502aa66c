// The words that tell apart the languages that share an extension. One rule a line: extensions | language | flags | pattern.
// A table in text, because its 260 patterns are compiled only when such a file is met, and because it is read as a table.

/** The first line whose pattern is found speaks. Patterns are ours, from the grammars of the languages; each reads in one pass. */
const TABLE = String.raw`
.1in | Roff Manpage | m | ^\.(?:TH|Dd)\b
.1in | Roff | m | ^\.
.al | AL | im | ^\s*(?:codeunit|page|pageextension|table|tableextension|report|enum|query|interface)\s+(?:\d|")
.al | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^\s*(?:use|package)\s+[A-Z][\w:]*|^\s*(?:my|our|local)\s+[$@%(]|^\s*sub\s+\w+
.as | ActionScript | m | ^\s*(?:package(?:\s|\{|$)|import\s+[\w.]+;|(?:public|private|internal|override)\s+(?:\w+\s+)*(?:class|function|var)\b)|\bfunction\s+\w+\([^)]*\)\s*:
.as | AngelScript | m | ^\s*(?:shared\s+)?(?:class|interface|namespace)\b|@\s*\w+|^\s*\w+\s+\w+\s*\(
.asc | Public Key | m | ^-----BEGIN|^ssh-
.asc | AsciiDoc | m | ^=+ \S|^:[\w-]+:|^\[\[
.asc | AGS Script | m | ^\s*(?:\/\/|import|export|function|struct|enum|#sectionstart)
.asm | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.b | Limbo | m | ^\s*(?:implement|include)\s+["\w]
.b | Brainfuck | - | ^[\s><+\-.,[\]]{20,}|[><+\-.,[\]]{8,}
.b | B | m | \b(?:extrn|auto)\b|^\s*\w+\([^)]*\)
.bas | B4X | im | \bA_A_VERSION\b|^Version=\d|\bSub (?:Process_Globals|Class_Globals|Globals)\b|#Region
.bas | FreeBASIC | im | ^\s*#(?:include|define|lang|if|inclib)\b|\b(?:constructor|destructor|namespace)\b|^\s*dim\s+(?:shared\s+)?as\b
.bas | VBA | im | \bVBA\b|^#If (?:VBA7|Mac|Win64)\b|\bPtrSafe\b|\b(?:Application|ActiveSheet|ThisWorkbook|Worksheets?|Range)\b[.(]
.bas | Visual Basic 6.0 | m | ^Attribute VB_Name
.bas | QuickBASIC | m | ^\s*(?:DECLARE|SCREEN|DEFINT|DEFLNG|DEFSNG|CALL|COMMON SHARED)\b|\$(?:DYNAMIC|STATIC|CONSOLE)
.bas | BASIC | im | ^\s*\d+\s+[A-Z]
.bb | BlitzBasic | m | ^\s*(?:Function|Type|Global|Local|Include|Graphics)\b|^\s*;
.bb | BitBake | m | ^\s*(?:inherit|require|DESCRIPTION|SUMMARY|LICENSE|SRC_URI|do_\w+|PV|PR)\b
.bb | Clojure | m | ^\s*\((?:ns|def|defn|require|println)\b|^#!.*\bbb\b
.bf | HyPhy | m | ^\s*(?:function|fprintf|LoadFunctionLibrary|DataSet|ExecuteAFile|RequireVersion|VERBOSITY_LEVEL|SetDialogPrompt|#include|ModelMatrix)|\/\*
.bf | Beef | m | ^\s*(?:using|namespace|class)\s
.bf | Befunge | m | [v^<>#_|].*[@"].*$
.bf | Brainfuck | - | [><+\-.,[\]]{5,}
.bi | FreeBASIC | im | ^\s*#(?:include|define|inclib|ifndef|pragma)\b|^\s*(?:namespace|extern|declare)\b.*\b(?:as|alias)\b
.bs | Bluespec BH | m | ^\s*(?:package|import|interface|data|struct|class|instance)\b.*(?:where|=|::)|^\s*package\s+\w+\s*(?:\(|where)|::
.bs | Bikeshed | im | ^<pre class=['"]?metadata|^\s*<h[12]
.bs | BrighterScript | im | ^\s*(?:import|class|namespace|sub|function|const|enum|interface|library)\b
.cairo | Cairo Zero | m | ^%(?:lang|builtins)\b|^from\s+[\w.]+\s+import|^func\s+\w+|^@(?:view|external|storage_var)\b\s*$\s*func
.cake | C# | m | ^\s*#(?:load|addin|tool|reference)\b|^\s*(?:Task|RunTarget|Setup|var)\b.*[(=]
.cake | CoffeeScript | m | ^\s*(?:task|option|\w+\s*=\s*require)\b|->\s*$
.cfg | HAProxy | m | ^\s*(?:frontend|backend|listen|defaults|global)\b(?!\s*=)
.ch | xBase | im | ^\s*#\s*(?:command|translate|xcommand|xtranslate|ifdef|ifndef|define|include|endif)\b
.cl | OpenCL | m | __kernel\b|\b(?:__global|__local|get_global_id)\b|^\s*(?:typedef|#pragma|kernel\s+void|void|float|int)\b
.cl | Common Lisp | im | ^\s*\((?:defun|in-package|defpackage|defvar|defparameter|load|let|defmacro)\b
.cl | Cool | im | ^\s*class\s+\w+(?:\s+inherits\s+\w+)?\s*\{
.cls | TeX | m | ^\s*(?:%|\\(?:NeedsTeXFormat|ProvidesClass|LoadClass|def|newcommand|documentclass|RequirePackage))
.cls | ObjectScript | m | ^Class\s+[\w.%]+(?:\s+Extends|\s*$|\s*\[)
.cls | VBA | im | ^VERSION 1\.0 CLASS\s+BEGIN\s+MultiUse[^\n]*\s+END\b
.cls | Visual Basic 6.0 | m | ^VERSION 1\.0 CLASS
.cls | OpenEdge ABL | im | ^\s*(?:using|class)\s+[\w.]+(?:\s+(?:inherits|implements|final|abstract)\b[^{]*)?\s*[:.]|^\s*(?:routine-level|block-level|define)\b
.cp | Component Pascal | m | ^\s*(?:MODULE|IMPORT|PROCEDURE)\b|\(\*
.cs | Smalltalk | m | ^![\w\s]+(?:class\s+)?methodsFor:|^\s*"[^"]*"\s*$[\s\S]{0,40}!
.cs | C# | m | ^\s*(?:using|namespace|public|internal|class|\/\/|#|\[)
.cs | Smalltalk | m | ^!|!\s*$
.csl | XML | - | ^\s*<|xmlns
.cue | Cue Sheet | m | ^\s*(?:FILE ".*" \w+|TRACK \d\d|REM |PERFORMER ")
.d | Makefile | m | ^[\w./\\-]+\.\w+\s*:(?:\s|$)[^;{}]*$|^\s*[\w./-]+\s*:.*\\$
.d | DTrace | m | ^#!.*dtrace|^\s*#pragma D option|^(?:[\w*]*:){3}[\w*-]*\s*(?:$|\/|,|\{)|^\s*(?:BEGIN|END)\s*$|^\w*::
.ddl | PLSQL | i | \b(?:dbms_|varchar2|pragma|authid|sqlplus)\b
.e | Eiffel | m | ^\s*(?:note|class|feature|inherit|create|deferred class|indexing)\b(?!\s*[:=(])|--.*\bEiffel\b
.e | Euphoria | m | ^\s*(?:include\s+[\w./]+|namespace|(?:global|export|public)\s|procedure\s|function\s+\w+\()
.e | E | m | ^\s*(?:def|pragma|when|interface)\b
.es | Erlang | m | ^\s*(?:%|-module|-export|main\s*\()|^#!.*escript
.ex | Euphoria | m | ^\s*(?:include\s+\w|namespace\s|without\s|with\s+trace|procedure\s|export\s|(?:integer|sequence|atom|object)\s+\w)
.ex | Elixir | m | ^\s*(?:defmodule|def|use|import|@\w+)\b|\bdo\s*$
.f | Filebench WML | m | ^\s*(?:set|define|debug|eventgen|run)\s+(?:\$|fileset|process|mode)
.f | Forth | m | ^: \S+|^\\ 
.for | Forth | m | ^: \S+|^\\ 
.for | Fortran | im | ^\s*(?:program|subroutine|function|integer|real|implicit)\b|^[cC*] 
.for | Formatted | - | ^\s*-?\d
.fpp | Fortran | im | ^\s*(?:program|module|subroutine|function|implicit|use|#:|!|#)
.fpp | FPP | m | ^\s*(?:component|topology|constant|type|enum|struct|port|array|module|deployment)\b
.fr | Text | m | ^[A-Z][^=:]*[.?!]\s*$
.fr | Frege | m | ^\s*(?:module|import|package|data|type)\s+\w|::
.fr | Forth | m | ^: \S
.frag | JavaScript | m | \bfunction\s*\(|=>|^\s*(?:var|let|const)\s+\w+\s*=
.frm | INI | m | ^\s*\[[\w.-]+\]\s*$
.frm | VBA | im | ^Begin\s+\{[0-9A-F-]+\}
.frm | Visual Basic 6.0 | m | ^VERSION \d|^Attribute VB_|^Begin\b
.fs | Filterscript | - | #pragma\s+(?:version|rs)|__attribute__\(\(kernel\)\)
.fs | GLSL | m | ^\s*(?:#version|precision|uniform|varying|vec[234]|in\s+vec|out\s+vec)\b
.fs | Forth | m | ^: \S+|^\\ |^new-device
.fs | F# | m | ^\s*(?:#light|open|module|namespace|let|type|\/\/|\(\*)
.fx | HLSL | - | \b(?:float[234](?:x[234])?|Texture2D|technique|cbuffer|sampler|Matrix)\b
.fx | FLUX | - | =>|->|\btypedef\b
.gd | GAP | m | \b(?:Declare(?:Operation|GlobalFunction|Attribute|Property|Category|InfoClass|Synonym)|BindGlobal|KeyDependentOperation)\b|^##
.gd | GDScript | m | ^\s*(?:extends|class_name|func|var|const|signal|export|onready|tool|@\w+|enum|#)
.gml | XML | i | ^\s*(?:<\?xml|<!--|<\w+)
.gml | Graph Modeling Language | im | ^\s*(?:graph|node)\s*\[|^\s*(?:Creator|Version)\s+"?
.gml | Gerber Image | m | ^[DGMT]\d\d\*
.gs | GLSL | m | ^#version
.gs | Gosu | m | ^\s*uses\s+(?:java|gw)\.|^\s*package\s+[\w.]+\s*$
.gs | Genie | m | ^(?:uses|init|class\s+\w+\s*(?::|$)|\[indent)
.gst | XML | - | ^\s*<|xmlns
.gst | Gosu | m | ^\s*(?:<%|uses\s)|\$\{
.gts | Gerber Image | m | ^(?:%|[DGMT]\d\d\*|G04)
.h | Objective-C | m | ^\s*@(?:interface|implementation|protocol|class|property|end|import)\b|^\s*#\s*import\s+["<]
.h | C++ | m | ^[ \t]*(?:class|namespace|template|using|public|private|protected|constexpr)\b(?!\s*[;=,)])|\bstd::|^\s*#\s*include\s*<(?:[a-z_]+|c(?:std\w+|math|assert))>|\bextern\s+"C\+\+"|\bnullptr\b
.hh | Hack | - | <\?hh
.hh | C++ | - | .
.html | Ecmarkup | - | <emu-(?:alg|clause|grammar|note|intro|xref)\b
.i | SWIG | m | ^\s*%(?:module|include|extend|template|rename|import|\{|apply|typemap|define|inline)
.i | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.i | Assembly | im | ^\s*(?:\.?(?:globl|global|section|text|align|equ|org)\b|\w+:?\s+(?:equ|db|dw|dd|macro|proc)\b|(?:mov|push|pop|jmp|call|lda|sta|ldi)\s)|^\s*%(?:macro|define|include)
.inc | PHP | - | <\?(?:php|=|\s|$)
.inc | POV-Ray SDL | m | ^\s*#(?:declare|local|version|macro|while|default)\b|^\s*(?:camera|light_source|texture|pigment|union)\s*\{
.inc | SourcePawn | m | ^\s*(?:public\s+(?:plugin|Plugin|Extension|SharedPlugin)|methodmap|native\s+\w+\s+\w+\()|^#pragma\s+newdecls|_included\b[\s\S]*\bnative\s+(?:bool|int|void|float|Handle|Action)\b|\bstock\s+(?:bool|int|void|float)\b
.inc | Pawn | m | ^\s*(?:native|stock|forward)\s+(?:\w+:)?\w+\(|_included\b|^#tryinclude
.inc | NASL | im | ^\s*(?:include|if|function|local_var|global_var|exit|script_\w+|port\s*=)\s*[( ].*[;{)]\s*$|^\s*#.*(?:Tenable|Nessus|OpenVAS)
.inc | BitBake | m | ^\s*(?:inherit|require|SRC_URI|DESCRIPTION|SUMMARY|LICENSE|FILES_|DEPENDS|EXTRA_\w+|PV|PACKAGE_ARCH|[A-Z]{3,}(?::\w+)?)\s*(?:[+?:.]?=|\s")|^do_\w+
.inc | C++ | m | ^\s*(?:#\s*(?:include|define|ifndef|ifdef|if|pragma|undef)\b|namespace\b|template\b|static\b|class\b|const\b|void\b|\w+\([^)]*\)\s*,?\s*$)
.inc | HTML | i | <(?:!--|html|div|p|a|table|span|script|h[1-6]|li|ul|td|tr|br|meta)\b
.inc | SQL | im | ^\s*(?:select|create|insert|update|drop|alter|delete|let|eval|--)[^;]*$
.inc | Pascal | im | ^\s*(?:\{|\(\*|procedure\b|function\b|type\b|const\b|var\b|begin\b|\{\$)
.inc | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.inc | Assembly | im | ^\s*(?:\.?(?:globl|global|section|text|align|equ|org)\b|\w+:?\s+(?:equ|db|dw|dd|macro|proc)\b|(?:mov|push|pop|jmp|call|lda|sta|ldi)\s)|^\s*%(?:macro|define|include)
.j | Objective-J | m | ^\s*@(?:import|implementation|end)|^\/\*
.j | Jasmin | m | ^\s*\.(?:class|super|method|source|bytecode|implements|interface)\b
.j | JASS | m | ^\s*(?:function|globals|endglobals|native|library|scope)\b
.jq | JSONiq | m | ^\s*(?:import\s+module|jsoniq version|declare|let\s+\$|for\s+\$|\(:)
.json | OASv2-json | - | "swagger"\s*:\s*"2\.
.json | OASv3-json | - | "openapi"\s*:\s*"3\.
.k | KFramework | m | ^\s*(?:module|syntax|rule|imports|endmodule|configuration|requires?)\b\s*[\w"<$]
.ks | Kickstart | m | ^\s*(?:%(?:post|packages|pre|end)|lang|keyboard|rootpw|timezone|bootloader|install|url\s+--)\b
.l | Lex | m | ^%%|^%[{}]|^%option
.l | Common Lisp | im | ^\s*\((?:defun|defmacro|defvar|in-package|defpackage|defparameter|provide|eval-when)\b|^\s*;;
.l | Roff | m | ^\.
.l | PicoLisp | m | ^\((?:de|class|dm|load|rel|setq)\s|^#
.lean | Lean | m | ^import\s+(?:data|algebra|tactic|order|init|logic|topology)\b|\bbegin\b|^universes?\s+u.*variable
.lisp .lsp | NewLisp | m | ^\s*\(define\s|#!.*newlisp|\(context\s
.lp | Linear Programming | im | ^\s*(?:minimi[sz]e|maximi[sz]e|min|max|subject to|s\.t\.|\\)
.lp | Lambdapi | m | ^\s*(?:require|symbol|rule|opaque|constant|inductive|open|assert|\/\/)\b
.lp | Answer Set Programming | m | :-|\.\s*$|^%|#(?:show|const|include)
.ls | LoomScript | m | ^\s*(?:package|import|public|class)\s+[\w.]+\s*[;{]?\s*$
.m | Objective-C | m | ^\s*@(?:interface|implementation|protocol|class|property|end|import)\b|^\s*#\s*import\s+["<]
.m | Mercury | m | ^\s*:-\s*(?:module|interface|import_module|pred|type|func|implementation)\b
.m | MUF | m | ^: \S
.m | M | im | ^\s*;|^\w+(?:\([^)]*\))?\s*(?:;|\s(?:[snqdwk]|set|new|quit|do|write|kill)(?::\S+)?\s)
.m | Wolfram Language | m | \(\*|\bBeginPackage\[|:=.*\[|^\s*\w+\[[^\]]*_\w*\]
.m | MATLAB | m | ^\s*(?:%|function\b|classdef\b|clear\b|clc\b|close all\b|if\b|for\b|\w+\s*=.*;?\s*$)
.m | Limbo | m | ^\s*(?:include\s+"|\w+\s*:\s*module\b)
.m4 | M4Sugar | m | \bA[CM]_[A-Z_]+|AU_DEFUN|AC_DEFUN|m4_(?:define|ifdef|pattern|init|include)|\bAX_|^dnl.*(?:autoconf|aclocal)
.mc | Monkey C | m | ^\s*(?:using|import|module|class|function|var)\s+[\w.]+(?:\s|;|\(|\{)
.mc | Win32 Message File | m | ^(?:MessageId|SeverityNames|FacilityNames|LanguageNames|MessageIdTypedef)\s*=
.mc | M4 | m | \bdnl\b|^\s*(?:divert|define|include)\(
.md | GCC Machine Description | m | ^\s*\(define_(?:insn|expand|attr|constants|cpu_unit|peephole|register_constraint)|^;;
.ml | Standard ML | m | =>\s*(?:fn|case|raise)|^\s*(?:structure|signature|functor|fun|datatype)\s
.mo | Motoko | im | ^\s*(?:import\s+\w+\s+"|(?:shared\s*(?:\([^)]*\)\s*)?)?(?:actor|persistent actor)\b|\/\/.*motoko|let\s+\w+\s*=|module\s*\{)
.mod | XML | - | ^\s*<!ENTITY|^\s*<
.mod | Modula-2 | im | ^\s*(?:DEFINITION|IMPLEMENTATION)?\s*MODULE\s+\w+\s*(?:\[|;|\()
.mod | NMODL | m | ^\s*(?:NEURON|TITLE|UNITS|PARAMETER|BREAKPOINT)\b
.mod | AMPL | m | ^\s*(?:set|param|var|minimize|maximize|subject to|solve|model)\s+\w
.mod | Linux Kernel Module | m | \.ko\b|^[\w/.-]+\.o\b
.mojo .res | XML | - | ^\s*<
.ms | Roff | m | ^\.(?:TL|AU|LP|PP|SH|NH|de|\\"|so|\w\w)\b
.ms | MiniScript | m | ^\s*(?:import\s+"|end\s+(?:function|if|while|for)|print\s+["\w]|\w+\s*=\s*function)
.ms | Unix Assembly | m | ^\s*\.(?:globl|text|section|align)\b
.ms | MAXScript | im | ^\s*(?:fn|rollout|macroScript|struct|utility|local|global|--)
.n | Roff | m | ^\.(?:TH|SH|\\"|so)
.n | Nemerle | m | ^\s*(?:using|module|namespace|macro|class)\s
.nb | Wolfram Language | m | ^\(\*|^Notebook\[|BeginPackage
.nb | Text | - | .
.ncl | XML | i | ^\s*<(?:\?xml|ncl|!)
.ncl | Gerber Image | m | ^[DGMT]\d\d\*|^G04|^%FS
.ncl | NCL | m | ^\s*(?:load\s+["$]|begin\b|undef|procedure|;)|\w+\s*=\s*addfile\(|=\s*True\b
.ncl | Nickel | m | ^\s*(?:let\s|import\s|\{|fun\s)
.ncl | Text | - | .
.nl | NewLisp | m | ^\s*\((?:define|set|context|println|load)\b|#!.*newlisp
.nl | NL | - | .
.nr | Roff | m | ^\.
.nr | Noir | m | ^\s*(?:use|fn|mod|struct|global|unconstrained|\/\/|#\[)
.nu | Nushell | m | ^\s*(?:#!.*\bnu\b|(?:export\s+)?(?:def|extern|module|alias|use|const)\s+|let\s+\w+\s*=|\$env\.|\$in\b|overlay\s)|\|\s*(?:each|where|get|select|into|str|lines|from|to)\b
.nu | Nu | m | ^\s*(?:;|\()
.p | Gnuplot | m | ^\s*(?:set\s+(?:terminal|output|title|xlabel|ylabel|style)|plot|splot|reset)\b|^s?pl?(?:ot)?\b
.p | OpenEdge ABL | - | .
.php | Hack | - | <\?hh
.pkl | Pickle | - | ^(?:\(|c)?(?:dp|lp|ccopy_reg|[A-Za-z_]+\n[A-Za-z_]+\n)|\np\d+\n
.pkl | Pkl | m | ^\s*(?:module|import|amends|extends|class|function|local|@\w+|typealias|\w+\s*(?:=|\{))
.pl | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pl | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^\s*(?:use|package)\s+[A-Z][\w:]*|^\s*(?:my|our|local)\s+[$@%(]|^\s*sub\s+\w+
.pl | Raku | m | ^\s*(?:use\s+v6|(?:unit\s+)?(?:module|grammar|role|class)\s+[\w:]+|(?:multi|proto)\s+\w+)|^\s*use\s+(?:Test|lib)\b|\bmy\s+[$@%][.!?]?\w+-\w
.plt | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pm | Raku | m | ^\s*(?:use\s+v6|unit\s|(?:my\s+)?(?:module|grammar|role|class)\s+[\w:]+|multi\s|role\s)
.pm | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^\s*(?:use|package)\s+[A-Z][\w:]*|^\s*(?:my|our|local)\s+[$@%(]|^\s*sub\s+\w+
.pm | X PixMap | - | \/\*\s*XPM
.pod | Pod 6 | m | ^=(?:begin|end)\s+pod\b
.pbt | Protocol Buffer Text Format | m | ^\s*\w+\s*(?::|\{)
.pp | Puppet | m | ^\s*(?:class|define|node|include|package|file|service|exec|\$\w+\s*=|@?\w+\s*\{\s*['"$])
.pp | Pascal | im | ^\s*(?:unit|program|uses|interface|procedure|function|begin|implementation)\b[^{};]*;?\s*$
.prc | SQL | im | ^\s*create\s+(?:proc|procedure)\b.*$
.pro | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pro | IDL | im | ^\s*(?:function|pro)\s+\w+\s*(?:,|$)|^\s*;\+|\bcompile_opt\b
.pro | INI | m | ^\s*\[\w+\]|last_client=
.pro | QMake | - | \b(?:HEADERS|SOURCES|CONFIG|QT|TEMPLATE|TARGET|SUBDIRS|DEPENDPATH)\b\s*[+\-*]?=
.pro | Proguard | m | ^\s*-(?:keep|dont|optimiz|ignorewarn|assumenosideeffects|renamesource|allow|verbose|libraryjars|injars)
.properties | INI | m | ^[^#!;][^=:]*[^=:\s]\s+=|^\s*;
.properties | Java Properties | m | ^[^#!;][^=]*=
.q | HiveQL | im | ^\s*(?:select|create|insert|drop|set\s+hive|use|from|explain|--)
.r | Rebol | i | \bREBOL\b
.r | Rez | m | ^\s*(?:resource|data|#include\s+["<]|#define|type\s+'|include\s+")
.r | R | m | <-|^\s*(?:#|library\(|function\()
.re | C++ | m | ^\s*#(?:include|define|ifdef|ifndef|if|pragma)\b|\/\*!re2c
.reds | Red | i | \bRed(?:\/System)?\s*\[
.rpy | Ren'Py | m | ^\s*(?:init|label|define|image|screen|style|transform|default)\b
.rpy | Python | m | ^\s*(?:import|from|class|def)\s
.rs | XML | - | ^\s*<
.rs | RenderScript | - | #include|#pragma\s+(?:rs|version)|__attribute__
.rs | Rust | - | .
.rsc | Rascal | m | ^\s*module\s+[\w:]+|^import\s+[\w:]+;
.s | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.s | Assembly | m | ^\s*[A-Za-z_.]*\s+(?:EQU|AREA|DCB|DCD|EXPORT|IMPORT|PROC|ENDP)\b|^\s*;
.sc | SuperCollider | m | \b(?:this|super)\.(?!\w+\s*=>)\w+|^\s*[+]\s*\w+\s*\{|^\s*\w+\s*:\s*\w+\s*\{|^\s*\*\w+\s*\{|\{\s*\|[\w\s,.]+\||^\s*(?:var|arg)\s+<?>?\w+|~\w+|SynthDef|\.ar\(
.sc | Scala | m | ^\s*(?:import|package|object|class|trait|def|val|case)\s
.sch | XML | i | ^\s*<(?:\?xml|schema|sch:|iso:)
.sch | Eagle | - | <eagle\b
.sch | KiCad Schematic | m | ^EESchema|^\(kicad_sch
.sch | Scheme | m | ^\s*[(;]
.scm | Tree-sitter Query | m | ^\s*\([a-z_]+(?:\s|\))[^;]*@|@[a-z]+(?:\.[a-z]+)*\s*\)?\s*$|^; inherits|\(#(?:match|eq|any-of|set|lua-match|not)|^\[\s*$
.scd | Markdown | m | ^#+\s|^\s*[-*] 
.sls | Scheme | - | ^\s*[(;#]!?(?:r6rs|library|import|;)?
.sls | Salt | - | .
.sol | Gerber Image | m | ^[DGMT]\d\d\*
.spec | RPM Spec | m | ^(?:Name|Version|Summary|%define|%global|%description|%package)\b
.spec | Ruby | m | \b(?:describe|context|it)\s+["':]|^require\s+['"]
.spec | Python | im | ^\s*(?:a\s*=\s*Analysis|import|from|block_cipher|def|# -\*-)
.sql | PLpgSQL | im | \blanguage\s+'?plpgsql'?|\$\$|\$(?:body|func|function|do)\$|\bset\s+(?:search_path|client_encoding)\b|\bcreate\s+extension\b|^\\(?:echo|i|connect|unset)\b|\bbegin\b[^;]*;[\s\S]{0,400}\braise\s+(?:notice|exception)\b
.sql | SQLPL | im | \blanguage\s+sql\b|\bbegin\s+atomic\b|\b(?:declare|signal)\s+sqlstate\b|\bmode\s+db2sql\b|\bdynamic\s+result\s+sets?\b|\bterminate\s*[!@]?\s*$
.sql | PLSQL | im | \bvarchar2\b|\bpragma\b|\bdbms_|\bauthid\b|\bcreate\s+or\s+replace\s+(?:package|type|force\s+view|trigger|and)|^\s*\/\s*$|\bsysdate\b|\bnumber\(\d
.sql | TSQL | im | ^\s*GO\s*$|\[dbo\]|\bset\s+(?:ansi_nulls|quoted_identifier|nocount)\b|^\s*declare\s+@|\bbegin\s+(?:try|catch)\b|\bdbo\.
.st | StringTemplate | m | ^\s*(?:group\s|delimiters\s)|\$\w+[^$\n]*\$|<%|<[!/]?[a-z]+>
.st | Smalltalk | - | .
.sw | XML | - | ^\s*<
.sw | Sway | - | .
.t | Terra | m | \bterra\b|\bterralib\b|^\s*local\s+\w+\s*=
.t | Raku | m | ^\s*(?:use\s+v6|(?:unit\s+)?(?:module|grammar|role|class)\s+[\w:]+|(?:multi|proto)\s+\w+)|^\s*use\s+(?:Test|lib)\b|\bmy\s+[$@%][.!?]?\w+-\w
.t | Perl | m | \buse\s+(?:strict|warnings|lib|Test|v?5)|^#!.*perl|[$@%]\w+
.t | Turing | m | ^\s*%|^\s*(?:var|const|put|get|proc|procedure|function|import|loop)\b.*$|:=
.tact .yy | JSON | - | ^\s*\{\s*"
.tl | Type Language | m | ^---(?:functions|types)---|=\s*[A-Z]\w*;\s*$
.tpl | Go Template | - | \{\{-?\s*(?:if|range|define|template|include|end|with|block|\.|\/\*|\$)
.tpl | Smarty | - | .
.trigger | Shell | - | ^#!
.trigger | Apex | - | .
.ts | XML | - | <TS\b|<!DOCTYPE TS>
.tsp | TSPLIB data | m | ^(?:NAME|TYPE|COMMENT|DIMENSION|EDGE_WEIGHT_TYPE)\s*:
.tsx | XML | - | ^\s*<tileset
.tsx | TSX | - | .
.txt | Vim Help File | m | ^\*\S+\.txt\*|(?:^|[ \t])vim:.{0,80}\b(?:ft|filetype)=help
.txt | Adblock Filter List | m | ^\[(?:uBlock|Adblock|uBO)[^\]]*\]|^! Title:
.typ | XML | - | ^\s*<(?:\?xml|\w+)
.v | Rocq Prover | m | ^\s*(?:Require|Import|From\s+\w+\s+Require|Theorem|Lemma|Proof|Section|Definition|Inductive|Fixpoint|Module|Export|Set\s+Implicit)\b|\(\*
.v | Verilog | m | ^\s*(?:module\s+\w+\s*(?:#|\(|;|$)|\x60(?:define|timescale|include|ifdef|default_nettype)|endmodule|always\s*@|initial\s+begin|assign\s|input\s|output\s|wire\s|reg\s)
.v | V | m | \bfn\s+(?:\([^)]*\)\s*)?\w+|^\s*(?:module|import|struct|pub\s|\$if|#flag|const\s*\()
.vba | Vim script | m | ^UseVimball|^\s*"|\bfunction!
.vhost | Nginx | m | ^\s*server\s*\{|^\s*(?:location|listen|server_name)\b
.w | OpenEdge ABL | im | &ANALYZE-SUSPEND|&Scoped-define|^\s*DEFINE\s
.workflow | HCL | m | ^\s*(?:workflow|action)\s+"
.workflow | XML | - | ^\s*<
.x | Logos | m | ^\s*%(?:hook|end|ctor|group|new|init|orig|log|class|dtor|hookf|property)\b|%\{?orig
.x | DirectX 3D File | - | ^xof \d
.x | Linker Script | - | \b(?:OUTPUT_ARCH|OUTPUT_FORMAT|SECTIONS|ENTRY)\s*[({]
.x | RPC | m | \b(?:program|version)\s+\w+\s*\{|^\s*%#|^\s*(?:union\s+\w+\s+switch|struct\s+\w+\s*\{|const\s+\w+\s*=|typedef\s)
.yaml .yml | MiniYAML | m | ^\t+(?:-?\w|\^)
.yaml .yml | OASv2-yaml | m | ^swagger:\s*['"]?2\.
.yaml .yml | OASv3-yaml | m | ^openapi:\s*['"]?3\.
.cgi | Python | m | ^\s*(?:import|from)\s+\w+
.cgi | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^\s*(?:use|package)\s+[A-Z][\w:]*|^\s*(?:my|our|local)\s+[$@%(]|^\s*sub\s+\w+
.cgi | Shell | m | ^\s*(?:echo|export|if \[)
`;

export interface Telling {
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

/** The rules of an extension (lower-cased, with its dot) in the order in which they are tried; [] when it has none. */
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
