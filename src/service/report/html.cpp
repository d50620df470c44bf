#include "service/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tacit::inline v1::service::html {

namespace {

// Contrast is at least 7:1 for all text (WCAG AAA); the browser test measures it.
constexpr std::string_view style = R"(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1a1a1a; font: 1rem/1.55 system-ui, "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 54rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.5rem 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; border-bottom: 1px solid #767676; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem; overflow-wrap: anywhere; }
p, ul, dl { margin: .6rem 0; }
a { color: #0b3d71; }
a:focus-visible, .wide:focus-visible { outline: 3px solid #0b3d71; outline-offset: 2px; }
.skip { position: absolute; left: -99rem; padding: .3rem 1rem; }
.skip:focus { position: static; display: inline-block; }
.verdict { border: 2px solid; border-radius: .4rem; padding: .75rem 1rem; font-size: 1.1rem; overflow-wrap: anywhere; }
.number { white-space: nowrap; }
.good { color: #14451f; background: #f0faf2; }
.conditional { color: #4d3800; background: #fff9e6; }
.bad { color: #7a1414; background: #fff3f2; }
nav ul { padding-left: 1.2rem; columns: 2 14rem; }
nav a { display: inline-block; padding: .2rem 0; }
.wide { overflow-x: auto; margin: .9rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; font-weight: 600; }
th, td { border: 1px solid #767676; padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: break-word; }
thead th { background: #eef2f6; }
tbody th { font-weight: 600; min-width: 7rem; max-width: 18rem; overflow-wrap: anywhere; }
td { max-width: 26rem; }
figure { margin: .9rem 0; }
figure svg { display: block; width: 100%; min-width: 34rem; max-width: 45rem; height: auto; }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr)); gap: .75rem; }
.curves figure { margin: 0; border: 1px solid #d0d0d0; border-radius: .4rem; min-width: 0; }
.curves figure svg { min-width: 0; max-width: none; }
.key { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.key span { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; margin-right: .4rem; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .95em; }
pre { background: #f4f4f4; border: 1px solid #767676; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; padding-bottom: 2rem; border-top: 1px solid #767676; font-size: .9rem; }
@media (max-width: 30rem) {
  header, main, footer { padding: 0 .75rem; }
  th, td { padding: .25rem .35rem; font-size: .85rem; }
  tbody th { min-width: 6.2rem; }
  .stacks, .stacks caption, .stacks tbody, .stacks tr, .stacks th, .stacks td { display: block; max-width: none; }
  .stacks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacks tr { border: 1px solid #767676; margin-bottom: .6rem; }
  .stacks tbody th, .stacks td { border: 0; }
  .stacks tbody th { background: #eef2f6; }
  .stacks td::before { content: attr(data-header) ": "; font-weight: 600; }
}
@media print {
  body { font-size: 10pt; }
  nav, .skip { display: none; }
  .wide { overflow: visible; }
  figure svg { min-width: 0; max-width: 15cm; }
  table { font-size: 8.5pt; }
  tr, figure, .verdict { break-inside: avoid; }
  h2 { break-after: avoid; }
  thead { display: table-header-group; }
}
)";

std::string contents(const std::vector<Section>& sections) {
  std::string list;
  for (const Section& section : sections)
    list += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, text(section.heading));
  return fmt::format("<nav aria-label=\"Contents\">\n<ul>\n{}</ul>\n</nav>\n", list);
}

// The length of the well-formed UTF-8 sequence that `raw` begins with [RFC 3629, section 4]; 0 for none.
std::size_t utf8_length(std::string_view raw) {
  const auto byte = [&](std::size_t k) { return k < raw.size() ? static_cast<unsigned char>(raw[k]) : 0U; };
  const auto follows = [&](std::size_t k, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(k) >= least && byte(k) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4)
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  return 0;
}

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What is no text of the page itself: a tag, or a whole plot.
std::size_t length_of_tag(std::string_view html) {
  if (!html.starts_with('<')) return 0;
  const std::string_view last = html.starts_with("<svg") ? "</svg>" : ">";
  const std::size_t end = html.find(last);
  return end == std::string_view::npos ? html.size() : end + last.size();
}

// Numbers such as 5e-07 stay on one line: a browser may end a line behind their hyphen.
std::string with_whole_numbers(std::string_view html) {
  std::string out;
  for (std::size_t k = 0; k < html.size();) {
    if (const std::size_t skipped = length_of_tag(html.substr(k)); skipped > 0) {
      out += html.substr(k, skipped);
      k += skipped;
      continue;
    }
    std::size_t end = k;
    while (end < html.size() && (is_digit(html[end]) || html[end] == '.')) ++end;
    const bool small =
        end > k && html.substr(end, 2) == "e-" && end + 2 < html.size() && is_digit(html[end + 2]);
    if (small) {
      end += 2;
      while (end < html.size() && is_digit(html[end])) ++end;
      out += fmt::format("<span class=\"number\">{}</span>", html.substr(k, end - k));
    } else {
      end = std::max(end, k + 1);
      out += html.substr(k, end - k);
    }
    k = end;
  }
  return out;
}

}  // namespace

std::string text(std::string_view raw) {
  std::string out;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    const std::size_t length = utf8_length(raw.substr(k));
    if (length != 1) {
      out += length == 0 ? replacement : raw.substr(k, length);
      if (length > 1) k += length - 1;
      continue;
    }
    switch (const char c = raw[k]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Control characters are not allowed in HTML; the replacement character shows that one was there.
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += c == '\n' || c == '\t' ? " " : replacement;
        else
          out += c;
    }
  }
  return out;
}

std::string name(std::string_view raw) { return "<bdi>" + text(raw) + "</bdi>"; }

std::string table(const Table& table, std::string_view label) {
  std::string head, body;
  // Cells that are laid out as blocks are no cells to a screen reader, unless they say so.
  const auto role = [&](std::string_view what) {
    return table.stacks ? fmt::format(" role=\"{}\"", what) : std::string();
  };
  for (const std::string& header : table.headers)
    head += fmt::format("<th scope=\"col\"{}>{}</th>", role("columnheader"), header);
  for (const auto& row : table.rows) {
    body += fmt::format("<tr{}>", role("row"));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string told = table.stacks ? fmt::format(" data-header=\"{}\"", table.headers[k]) : "";
      body += k == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", role("rowheader"), row[k])
                     : fmt::format("<td{}{}>{}</td>", role("cell"), told, row[k]);
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{}\">\n<table{}>\n<caption>{}</caption>\n"
      "<thead{}><tr{}>{}</tr></thead>\n<tbody{}>\n{}</tbody>\n</table>\n</div>\n",
      text(label), table.stacks ? " class=\"stacks\" role=\"table\"" : "", table.caption, role("rowgroup"),
      role("row"), head, role("rowgroup"), body);
}

std::string page(std::string_view title, std::string_view verdict, Tone tone,
                 const std::vector<Section>& sections, std::string_view footer) {
  std::string body;
  for (const Section& section : sections)
    body += fmt::format(
        "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\" tabindex=\"-1\">{1}</h2>\n{2}</section>\n",
        section.id, text(section.heading), with_whole_numbers(section.body));
  const char* const tone_class = tone == Tone::good ? "good" : tone == Tone::bad ? "bad" : "conditional";
  // The policy stops whatever an unescaped text could try; nothing here needs more.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n"
      "<header>\n<h1>{2}</h1>\n<div class=\"verdict {3}\">{4}</div>\n{5}</header>\n"
      "<main id=\"report\" tabindex=\"-1\">\n{6}</main>\n<footer>\n{7}</footer>\n</body>\n</html>\n",
      text(title), style, name(title), tone_class, with_whole_numbers(verdict), contents(sections), body,
      footer);
}

}  // namespace tacit::inline v1::service::html
