// Light or dark: as the system says, until somebody chooses. Loaded before the page is drawn.
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
addEventListener("DOMContentLoaded", () => {
  // On a narrow screen the navigation scrolls: the page that is open stays in sight.
  const nav = document.querySelector(".top nav");
  const current = nav?.querySelector("[aria-current]");
  if (current) nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2;
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
