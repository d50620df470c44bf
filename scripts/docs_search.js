// The book's search, without a server: the index is a script beside this one, so that it works from a file, too. It takes the
// place of the one that MkDocs brings. A page's score counts the words of the query in titles and text; every word must occur.
(function () {
  "use strict";

  function words(text) {
    return text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
  }

  function count(text, word) {
    let found = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found++;
    return found;
  }

  // 0 unless every word occurs; a word in the title counts twenty times, and no text more than five times.
  function score(entry, query) {
    let sum = 0;
    for (const word of query) {
      const found = 20 * Math.min(1, count(entry.title.toLowerCase(), word)) + Math.min(5, count(entry.text.toLowerCase(), word));
      if (found === 0) return 0;
      sum += found;
    }
    return sum;
  }

  function excerpt(text, query) {
    const at = Math.max(0, text.toLowerCase().indexOf(query[0]) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 200) + (at + 200 < text.length ? " …" : "");
  }

  function show(index, text, results) {
    const query = words(text);
    const found = query.length === 0 ? [] : index
      .map((entry) => ({entry: entry, score: score(entry, query)}))
      .filter((item) => item.score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, 30);
    results.replaceChildren();
    if (found.length === 0) results.textContent = query.length === 0 ? "Type a word." : "Nothing found.";
    for (const {entry} of found) {
      const article = document.createElement("article"), heading = document.createElement("h3"), link = document.createElement("a");
      link.href = base_url + "/" + entry.location;
      link.textContent = entry.title;
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
