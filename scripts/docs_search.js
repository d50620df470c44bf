// The book's search, without a server: the index is a script beside this one, so that it works from a file, too. It takes the
// place of the one that MkDocs brings. The index has every page as a whole, and each of its sections.
(function () {
  "use strict";

  // Letters of the pages' formulas are found by their names.
  function plain(text) {
    return text.toLowerCase().replace(/ε/g, "epsilon").replace(/δ/g, "delta").replace(/μ/g, "mu");
  }

  function words(text) {
    return plain(text).split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
  }

  // How often a word of the text begins with the word.
  function count(text, word) {
    return (text.match(new RegExp("(?<![\\p{L}\\p{N}])" + word, "gu")) || []).length;
  }

  function isPage(entry) {
    return !entry.location.includes("#");
  }

  // 0 unless every word occurs. Titles come before texts, a page before its sections, and where a flag is asked for, the
  // page of the commands before the others. No word counts more than five times.
  function score(entry, query) {
    const title = plain(entry.title), text = plain(entry.text);
    let sum = 0;
    for (const word of query) {
      const found = (count(title, word) > 0 ? 100 : 0) + Math.min(5, count(text, word));
      if (found === 0) return 0;
      sum += found;
      if (word.startsWith("--") && entry.location.startsWith("cli.html#")) sum += 50;
    }
    return sum + (isPage(entry) && sum > 100 ? 10 : 0);
  }

  // A page whose sections are found is not listed on top of them, unless its title has a word of the query.
  function withoutPagesOfSections(found, query) {
    const pages = new Set(found.filter((item) => !isPage(item.entry)).map((item) => item.entry.location.split("#")[0]));
    return found.filter(({entry}) => !isPage(entry) || !pages.has(entry.location) ||
      query.some((word) => count(plain(entry.title), word) > 0));
  }

  function excerpt(text, query) {
    const at = Math.max(0, plain(text).indexOf(query[0]) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 200) + (at + 200 < text.length ? " …" : "");
  }

  function show(index, text, results) {
    const query = words(text);
    const matches = query.length === 0 ? [] : index
      .map((entry) => ({entry: entry, score: score(entry, query)}))
      .filter((item) => item.score > 0);
    const found = withoutPagesOfSections(matches, query)
      .sort((a, b) => b.score - a.score)
      .slice(0, 30);
    results.replaceChildren();
    if (found.length === 0) results.textContent = query.length === 0 ? "Type a word." : "Nothing found.";
    for (const {entry} of found) {
      const article = document.createElement("article"), heading = document.createElement("h3"), link = document.createElement("a");
      link.href = base_url + "/" + entry.location;
      link.textContent = isPage(entry) ? entry.title : entry.page + " › " + entry.title;
      heading.append(link);
      const lines = document.createElement("p");
      lines.textContent = excerpt(entry.text, query);
      article.append(heading, lines);
      results.append(article);
    }
  }

  document.addEventListener("DOMContentLoaded", function () {
    const input = document.getElementById("mkdocs-search-query"), results = document.getElementById("mkdocs-search-results");
    if (!input || !results) return;  // the other pages have a form that leads here
    input.value = new URLSearchParams(window.location.search).get("q") || "";
    const script = document.createElement("script");
    script.src = base_url + "/search/search_index.js";
    script.onload = function () {
      show(window.tacitBookIndex, input.value, results);
      input.addEventListener("input", () => show(window.tacitBookIndex, input.value, results));
    };
    document.head.append(script);
  });
})();
