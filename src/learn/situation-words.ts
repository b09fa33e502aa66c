// The words by which a situation is known to tell a structure, a pattern and a gap, and those that give advice instead.
// Lists of base forms; inflected forms are traced back to them.

/** What code is made of. */
const STRUCTURE = words(`
  abstraction accessor action adapter aggregate alias allocation annotation api app application argument array aspect assertion
  assignment attribute backend barrier batch binary binding block boolean boundary branch buffer build bundle button byte cache call
  callback catch certificate channel character check checkpoint class clause cleanup client closure cluster code coroutine
  collection column command comment commit comparison component composable condition conditional config configuration connection
  constant constraint constructor container context contract controller converter cookie copy counter credential cursor dashboard
  data database date deadline declaration decorator default definition delegate dependency descriptor destructor diagram dialog
  dictionary directive directory docstring document documentation element endpoint entity entry enum enumeration environment error
  event exception executor export expression extension factory fallback feature field file filter finalizer fixture flag folder
  form formatter formula frame framework frontend function future gateway generator generic getter global goroutine group guard
  guide handle handler hash header heap helper hook host icon identifier image implementation import index inheritance
  initializer input instance integer integration interceptor interface iteration iterator job json key keyword label lambda layer
  layout library limit line link list listener literal loader lock log logger loop macro manager manifest map mapper mapping
  markup matcher member memory menu message metadata metric method middleware migration mixin mock model modal module monitor mutex
  name namespace node notebook notification number object observer operation operator option order output overload override package
  page panel parameter parser partition password path payload permission pipeline plugin pointer policy pool port process procedure
  producer profile program project promise prompt property protocol provider proxy query queue range reader readme record
  reducer reference regex registry release renderer replica report repository request resolver resource response result return
  role rollback root route router routine row rule runner runtime sample scheduler schema scope screen script section secret
  segment selector semaphore sentence sequence serializer series server service session set setter setting setup shader shell
  signal signature singleton size slice slot snapshot socket source spec specification stack stage state statement status step
  storage store stream string struct structure style stylesheet subclass subscription subscriber suite superclass switch symbol
  syntax table tag target task teardown template tensor test text thread threshold throttle timeout timer timestamp title token
  trait transaction transformer transition translation tree trigger try tuple type union unit update upload url user utility
  validator value variable variant vector version view volume web widget window worker workflow wrapper writer yaml`);

/** What code does. */
const PATTERN = words(`
  accept access accumulate acquire add advance aggregate align allocate allow append apply assert assign attach authenticate
  authorize await batch begin bind block branch broadcast build buffer bump bypass cache calculate call cancel capture cast catch
  change check claim clamp clean clear clone close coerce collapse collect combine commit compare compile compose compress compute
  concatenate configure connect construct consume contain convert copy count create decide declare decode decrement decrypt
  deduplicate default define delegate delete deploy depend derive describe deserialize destroy detach detect discard dispatch
  display divide document download drop duplicate embed emit enable encode encrypt enforce escape evaluate execute expand expect
  expire expose extend extract fail fall fetch fill filter find finish flatten flush fold follow force fork format forward free
  generate get grant group grow guard hand handle hardcode hard-code hash hide hold identify implement import include increment
  index infer inherit init initialize initialise inject insert instantiate interpolate invalidate invoke iterate join keep launch
  limit link list listen load lock log look loop make map mark mask match measure memoize merge migrate mock modify monitor mount
  move multiply mutate name navigate negate nest normalize normalise notify observe offset open order overlap overload override
  overwrite own pack paginate parse pass patch persist pick pin poll pop populate post prefix prepare print process produce
  promote propagate provide publish pull purge push put query queue raise randomize read rebuild receive record recompute recurse
  redirect reduce reference refresh register reject release rely remove rename render repeat replace replicate report represent
  request reset resize resolve respond restart restore resume retain retry return reuse revert rewrite rotate round route run
  sanitize save scale scan schedule scroll search seed select send separate serialize serve set share shift show shrink sign
  simulate skip sleep slice sort spawn split spread stack start stop store stream stringify strip style subscribe substitute
  subtract suppress swallow swap switch synchronize tag take test throw toggle track transfer transform translate traverse trigger
  trim truncate trust type unlock unmount unpack unwrap update upgrade upload use validate verify visit wait walk watch wrap write
  yield`);

/** What is not there, or not as it is taken to be. */
const GAP = words(`
  absent although ambiguous assume assumption before bug but broken bypass collide conflict confuse contradict corrupt crash
  dead deadlock despite differ different diverge drift drop duplicate early empty even exceed exhaust expose fail failure forget
  forgotten hang hidden however ignore impossible incomplete inconsistent incorrect inefficient insecure invalid lack late leak
  leave less limit lose lost mask mismatch misleading misplace miss missing misspell misuse mutable neither never no none nor not
  nothing nobody null obsolete omit only orphan outdate overflow overlook overwrite partial presume race raw redundant regardless
  remain repeat risk shadow silent silently skip slow stale starve still suppress swallow though too truncate twice typo
  unaware unbounded unclear undefined unless unnecessary unknown unrelated unsafe unsound until untrusted unusual vague vulnerable
  weak without wrong yet zero cannot`);

/** Words that tell what to do about it, in exactly these forms: a fixed delay is no fix, and what nothing ensures is a gap. */
const ADVICE = words(`
  advisable advise advised advice avoid better consider considering ensure fix fixes fixing instruct let's lets must ought please
  prefer preferable preferably preferred recommend recommended recommends recommendation remedy shall should shouldn't solution
  suggest suggested suggests suggestion workaround`);
const ADVICE_PHRASE =
  /\b(?:(?:need|needs|has|have) to|make sure|would be (?:better|best|safer|cleaner)|use instead|it is best)\b/i;
/** `uncaught`, `unvalidated`, `nonexistent`: the gap is in the word. */
const NEGATED = /^(?:un\p{L}{3,}(?:ed|en|able|ible|ught|nt)|non-?\p{L}{4,}|\p{L}+n['’]t|\p{L}{2,}less)$/u;

/** Which words of a text tell what, each once, as they are written, in lower case. */
export interface SituationWords {
  readonly structure: readonly string[];
  readonly pattern: readonly string[];
  readonly gap: readonly string[];
  readonly advice: readonly string[];
}

/** @param text any text; one pass over its words */
export function situationWords(text: string): SituationWords {
  const all = new Set((text.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? []).map((word) => word.replaceAll("’", "'")));
  const among = (known: ReadonlySet<string>) =>
    [...all].filter((word) => baseForms(word).some((form) => known.has(form)));
  const phrase = ADVICE_PHRASE.exec(text)?.[0].toLowerCase();
  return {
    structure: among(STRUCTURE),
    pattern: among(PATTERN),
    gap: [...all].filter((word) => NEGATED.test(word) || baseForms(word).some((form) => GAP.has(form))),
    advice: [...[...all].filter((word) => ADVICE.has(word)), ...(phrase === undefined ? [] : [phrase])],
  };
}

/** Longer words are no English. */
const LONGEST = 40;

/** The word, and what it may be an inflected form of: `copies` gives copy, `stopped` stop, `caching` cache. */
function baseForms(word: string): readonly string[] {
  if (word.length > LONGEST) return [];
  const forms = [word];
  const cut = (ending: string, ...instead: readonly string[]) => {
    if (!word.endsWith(ending) || word.length < ending.length + 2) return;
    const stem = word.slice(0, -ending.length);
    forms.push(...instead.map((end) => stem + end));
    // A doubled consonant belongs to the ending: stopped, setting.
    if (/([^aeiou])\1$/.test(stem)) forms.push(stem.slice(0, -1));
  };
  cut("s", "");
  cut("es", "");
  cut("ies", "y");
  cut("ied", "y");
  cut("ed", "", "e");
  cut("ing", "", "e");
  cut("'s", "");
  return forms;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
