// Cases of rules about web output, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const WEB_OUTPUT: Cases = {
  "unescaped-html": {
    bad: [
      example("src/list.ts", `item.innerHTML = \`<b>\${user.name}</b>\`;`),
      example("src/list.js", 'item.innerHTML = "<b>" + name + "</b>";'),
      example("src/page.js", "panel.innerHTML = location.hash;"),
      example("app/tags.py", 'return mark_safe(f"<b>{user.name}</b>")'),
      example("page.go", 'page.Title = template.HTML(fmt.Sprintf("<b>%s</b>", name))'),
      example("app/helpers/users_helper.rb", '"<b>#{user.name}</b>".html_safe'),
      example("hello.php", '<?php echo "Hello " . $_GET["name"];'),
      example("Hello.java", 'response.getWriter().println("Hello " + request.getParameter("name"));'),
    ],
    good: [
      example("src/list.ts", "item.textContent = user.name;"),
      example("src/list.ts", `item.innerHTML = \`<b>\${escapeHtml(user.name)}</b>\`;`),
      example("src/list.js", 'item.innerHTML = "";'),
      example("app/tags.py", 'return format_html("<b>{}</b>", user.name)'),
      example("app/helpers/users_helper.rb", "tag.b(user.name)"),
      example("hello.php", '<?php echo "Hello " . htmlspecialchars($_GET["name"]);'),
    ],
  },
};
