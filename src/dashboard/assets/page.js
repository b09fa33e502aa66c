// Light or dark, as the system says until a person chooses; times as people say them; filters that apply at once. Loaded before
// the page is drawn. Without it times are exact, and filters have a button.
const order = ["auto", "light", "dark"];
const stored = () => {
  try {
    const theme = localStorage.getItem("kodiai-theme");
    return order.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
};
const show = (theme) => {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};
show(stored());

const UNITS = [
  ["y", 31_557_600],
  ["mo", 2_629_800],
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
];
/** `3 h ago` */
const ago = (at) => {
  const seconds = (Date.now() - at) / 1_000;
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? [];
  return unit === undefined ? "just now" : `${Math.floor(seconds / size)} ${unit} ago`;
};

addEventListener("DOMContentLoaded", () => {
  // On a narrow screen the navigation scrolls: the page that is open stays in sight.
  const nav = document.querySelector(".top nav");
  const current = nav?.querySelector("[aria-current]");
  if (current) nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2;
  for (const time of document.querySelectorAll("time")) time.textContent = ago(Date.parse(time.dateTime));
  for (const button of document.querySelectorAll("[data-no-script]")) button.hidden = true;
  for (const form of document.querySelectorAll("form[data-filters]"))
    form.addEventListener("change", ({ target }) => {
      if (target.type !== "search") form.requestSubmit();
    });
  for (const button of document.querySelectorAll("[data-theme-switch]")) {
    const label = () => {
      button.textContent = `Theme: ${stored()}`;
    };
    label();
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = order[(order.indexOf(stored()) + 1) % order.length];
      try {
        localStorage.setItem("kodiai-theme", next);
      } catch {
        // Private windows may keep nothing: then the choice holds for this page.
      }
      show(next);
      label();
      dispatchEvent(new CustomEvent("kodiai-theme"));
    });
  }
});
