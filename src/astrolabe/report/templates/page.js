"use strict";
(() => {
  const content = JSON.parse(document.getElementById("content").textContent);
  const LONGEST = 4000;
  const A_TIME = 200;
  const MOST_ITEMS = 12;
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") node.className = value;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  };
  const shorten = (text, longest) => (text.length > longest ? text.slice(0, longest) + "\u2026" : text);
  /* A spelled name that may be broken after its punctuation and nowhere else. */
  const breakable = (name, longest) => {
    const node = make("span");
    for (const part of shorten(name, longest).split(/(?<=[(=,/_:])/)) node.append(part, make("wbr"));
    return node;
  };
  const shown = (score) => (!score || score.value === null ? "\u2013" : score.percent ? (100 * score.value).toFixed(1) : score.value.toFixed(2));
  const key = (question, method, scope) => JSON.stringify([question, method, scope]);
  const byPlace = (records) => new Map(records.map((one) => [key(one.question, one.method, one.scope), one]));
  const answers = byPlace(content.answers);
  const scores = byPlace(content.scores);

  /* Offsets count characters as Python does; where a text has others than UTF-16 units, map them. */
  const units = (text) => {
    if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
    const starts = [];
    let place = 0;
    for (const character of text) { starts.push(place); place += character.length; }
    return (offset) => (offset < starts.length ? starts[offset] : place);
  };

  /* A text with stretches marked. One that is too long is cut, with a button for the rest. */
  const marked = (text, stretches) => {
    const at = units(text);
    const edges = stretches.map((one) => ({ ...one, start: at(one.start), end: at(one.end) }));
    const write = (end) => {
      const borders = [...new Set([0, end, ...edges.flatMap((one) => [one.start, one.end])])].filter((one) => one <= end).sort((a, b) => a - b);
      const parts = [];
      for (let index = 0; index + 1 < borders.length; index += 1) {
        const [from, to] = [borders[index], borders[index + 1]];
        const over = edges.filter((one) => one.start <= from && to <= one.end);
        const piece = text.slice(from, to);
        if (!over.length) { parts.push(piece); continue; }
        const bad = over.some((one) => one.bad);
        parts.push(make("mark", { class: bad ? "bad" : "", "data-topics": JSON.stringify(over.map((one) => one.topic)), title: shorten(over.map((one) => one.label).join("; "), 300) }, piece));
      }
      return parts;
    };
    const body = make("div", { class: "body" });
    if (text.length <= LONGEST) { body.append(...write(text.length)); return body; }
    const rest = make("button", { type: "button", class: "button", onclick: () => body.replaceChildren(...write(text.length)) },
      `show all ${text.length.toLocaleString("en")} characters`);
    body.append(...write(LONGEST), "\u2026 ", rest);
    return body;
  };

  const passage = (hit, before) => {
    const found = content.passages[hit.passage];
    const title = found ? content.titles[found.document] || found.document : hit.passage;
    const section = found && found.section.length ? ` \u203a ${found.section.join(" \u203a ")}` : "";
    const node = make("details", { class: "passage" }, make("summary", {}, `${before} ${shorten(title + section, 160)}`));
    node.addEventListener("toggle", () => {
      if (node.open && node.children.length === 1) node.append(found ? marked(found.text, []) : make("p", { class: "quiet" }, "the text of this passage is not in the report"));
    });
    return node;
  };

  const looked = (node) => {
    if (node.passage) return passage({ passage: node.passage }, node.score === null ? node.kind : node.score.toFixed(3));
    const score = node.score === null ? "" : `${node.score.toFixed(3)} `;
    return make("p", { class: "node" }, make("span", { class: "quiet" }, `${score}${node.kind} `), node.label);
  };

  /* A trace is a tree of steps: each folds, and is filled when it is first opened. */
  const step = (one, below) => {
    const calls = one.calls ? ` \u00b7 ${one.calls} call${one.calls === 1 ? "" : "s"}` : "";
    const said = one.asked ? `: ${shorten(one.asked, 140)}` : "";
    const node = make("details", { class: "step" }, make("summary", {}, make("b", {}, one.head), said, make("span", { class: "quiet" }, calls)));
    node.addEventListener("toggle", () => {
      if (!node.open || node.children.length > 1) return;
      const line = (name, text) => (text ? make("p", {}, make("span", { class: "quiet" }, `${name} `), text) : null);
      const parts = [line("asked", one.asked), line("searched for", one.query), line("answer", one.answer), line("why", one.why), ...one.nodes.map(looked)];
      if (one.left) parts.push(make("p", { class: "quiet" }, `and ${one.left} more`));
      node.append(...parts.filter(Boolean), ...(below.get(one.id) || []).map((child) => step(child, below)));
    });
    return node;
  };

  const trace = (steps) => {
    const below = new Map();
    for (const one of steps) below.set(one.parent, [...(below.get(one.parent) || []), one]);
    const roots = (below.get(null) || []).map((one) => step(one, below));
    return make("details", {}, make("summary", {}, `how it was found, ${steps.length} step${steps.length === 1 ? "" : "s"}`), ...roots);
  };

  /* Which items of a set an answer found and missed, and which of its own are wrong. */
  const items = (kinds) => Object.entries(kinds).map(([kind, names]) => {
    const left = names.length - MOST_ITEMS;
    return make("p", { class: `items ${kind}` }, make("span", { class: "quiet" }, `${kind} ${names.length} `),
      names.slice(0, MOST_ITEMS).map((name) => shorten(name, 80)).join("; ") + (left > 0 ? `; and ${left} more` : ""));
  });

  const card = (question, method, scope) => {
    const answer = answers.get(key(question.id, method, scope));
    const score = scores.get(key(question.id, method, scope));
    if (!answer && !score) return null;
    const topics = new Map([...question.topics.map((one) => [one.id, [one, false]]), ...question.hallucinations.map((one) => [one.id, [one, true]])]);
    const stretches = Object.entries(score ? score.found : {}).flatMap(([id, places]) => places.map(([start, end]) => {
      const [topic, bad] = topics.get(id) || [{ text: id }, false];
      return { topic: id, label: topic.text, bad, start, end };
    }));
    const numbers = score ? [`${shorten(score.title, 60)} ${shown(score)}`] : ["not scored"];
    for (const [name, value] of Object.entries(score ? score.others : {})) {
      if (value !== null) numbers.push(`${shorten(name, 30)} ${Number(value.toPrecision(3))}`);
    }
    if (answer) numbers.push(`${answer.calls} call${answer.calls === 1 ? "" : "s"}`, `${answer.seconds.toFixed(1)} s`);
    const node = make("section", { class: "answer" },
      make("header", {}, make("b", {}, breakable(method, 120)),
        content.recorded.includes(method) ? make("em", { class: "pill" }, "recorded") : null,
        answer && answer.status !== "ok" ? make("em", { class: "pill" }, answer.status) : null),
      make("div", { class: "numbers" }, numbers.join(" \u00b7 ")));
    for (const why of [answer && answer.reason, score && score.reason]) {
      if (why) node.append(make("div", { class: "why" }, shorten(why, 600)));
    }
    if (score) node.append(...items(score.items));
    if (answer && answer.text) node.append(marked(answer.text, stretches));
    if (answer && answer.contexts.length) {
      const details = make("details", {}, make("summary", {}, `${answer.contexts.length} passage${answer.contexts.length === 1 ? "" : "s"} it was shown`));
      details.append(...answer.contexts.map((hit, index) => passage(hit, `${index + 1}.`)));
      node.append(details);
    }
    if (answer && answer.trace.length) node.append(trace(answer.trace));
    return node;
  };

  const verdict = (score, topic, bad) => {
    if (!score) return make("span", { class: "quiet" }, "not judged");
    const span = (look, text, why = "") => make("span", { class: `verdict ${look}`, title: why }, shorten(text, 120));
    const [missed, why] = score.missed[topic.id] || ["missed", ""];
    const [origin, source] = score.origins[topic.id] || ["stated", ""];
    if (score.value === null) return span("unscored", "unscored", score.reason || "");
    if (topic.id in score.found) return bad ? span("bad", origin, source) : span("hit", "covered");
    return bad ? span("miss", "not stated") : span("miss", missed, why);
  };

  const point = (detail, topic) => {
    for (const node of detail.querySelectorAll("mark")) {
      node.classList.toggle("on", topic !== null && JSON.parse(node.dataset.topics).includes(topic));
    }
    for (const node of detail.querySelectorAll("tr[data-topic]")) node.classList.toggle("on", node.dataset.topic === topic);
  };

  const matrix = (question, methods, scope, detail) => {
    const row = (topic, bad) => {
      const head = make("th", { scope: "row" }, make("span", { class: "id", title: topic.mark }, shorten(topic.id, 20)), shorten(topic.text, 600));
      if (topic.evidence.length) {
        const details = make("details", { class: "evidence" }, make("summary", {}, "evidence"));
        details.append(...topic.evidence.map((one) => make("p", {}, `\u201c${shorten(one.quote, 800)}\u201d \u2013 ${shorten(content.titles[one.document] || one.document, 120)}`)));
        head.append(details);
      }
      return make("tr", { "data-topic": topic.id, onmouseenter: () => point(detail, topic.id), onmouseleave: () => point(detail, null) },
        head, ...methods.map((method) => make("td", {}, verdict(scores.get(key(question.id, method, scope)), topic, bad))));
    };
    const band = (title) => make("tr", { class: "band" }, make("th", { colspan: methods.length + 1, scope: "rowgroup" }, title));
    const body = make("tbody", {}, band(`Expected topics (${question.topics.length})`), ...question.topics.map((topic) => row(topic, false)));
    if (question.hallucinations.length) body.append(band(`Unsupported topics (${question.hallucinations.length}): an answer should not state them`), ...question.hallucinations.map((topic) => row(topic, true)));
    const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Topic"), ...methods.map((method) => {
      const score = scores.get(key(question.id, method, scope));
      return make("th", { scope: "col" }, breakable(method, 60), make("br"), make("span", { class: "v" }, shown(score)));
    })));
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Topics by method" }, make("table", { class: "plain matrix" }, head, body));
  };

  const detail = document.getElementById("detail");
  let scope = content.scopes.length ? content.scopes[0].name : null;
  const open = (question) => {
    const asked = content.scopes.filter((one) => content.methods.some((method) => answers.has(key(question.id, method, one.name)) || scores.has(key(question.id, method, one.name))));
    if (asked.length && !asked.some((one) => one.name === scope)) scope = asked[0].name;
    const methods = content.methods.filter((method) => answers.has(key(question.id, method, scope)) || scores.has(key(question.id, method, scope)));
    const tabs = make("div", { class: "tabs" }, ...asked.map((one) => make("button", {
      type: "button", "aria-pressed": String(one.name === scope), onclick: () => { scope = one.name; open(question); },
    }, one.title)));
    detail.replaceChildren(make("h3", {}, shorten(question.text, 2000)), make("p", { class: "quiet" }, `${question.kind} \u00b7 ${shorten(question.id, 80)}`), tabs);
    if (question.topics.length || question.hallucinations.length) detail.append(matrix(question, methods, scope, detail));
    detail.append(make("h4", {}, "Answers"), make("div", { class: "answers" }, ...methods.map((method) => card(question, method, scope))));
    for (const button of document.querySelectorAll("#list button")) button.setAttribute("aria-current", String(button.dataset.id === question.id));
  };

  const strip = (question) => {
    const first = content.scopes.length ? content.scopes[0].name : null;
    return make("span", { class: "strip" }, make("span", { class: "kind" }, question.kind), ...content.methods.slice(0, 20).map((method) => {
      const score = scores.get(key(question.id, method, first));
      const value = score ? score.value : null;
      const cell = make("span", { class: value === null ? "cell none" : "cell", title: `${shorten(method, 60)}: ${shown(score)}` });
      if (value !== null && score.percent) cell.style.setProperty("--p", 100 * value);
      return cell;
    }));
  };

  const browse = () => {
    const [find, kind, list, more] = ["find", "kind", "list", "more-questions"].map((id) => document.getElementById(id));
    for (const name of new Set(content.questions.map((one) => one.kind))) kind.append(make("option", { value: name }, name));
    const words = new Map(content.questions.map((one) => [one.id, [one.id, one.text, ...one.topics.map((topic) => topic.text)].join("\n").toLowerCase()]));
    let matches = [];
    const extend = () => {
      for (const question of matches.slice(list.children.length, list.children.length + A_TIME)) {
        list.append(make("li", {}, make("button", { type: "button", "data-id": question.id, "aria-current": "false", onclick: () => open(question) },
          make("span", { class: "text" }, shorten(question.text, 240)), strip(question))));
      }
      const left = matches.length - list.children.length;
      more.hidden = left <= 0;
      more.textContent = `show ${Math.min(left, A_TIME)} of ${left.toLocaleString("en")} more`;
    };
    const refresh = () => {
      const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      matches = content.questions.filter((one) => (!kind.value || one.kind === kind.value) && wanted.every((word) => words.get(one.id).includes(word)));
      document.getElementById("count").textContent = `${matches.length.toLocaleString("en")} of ${content.questions.length.toLocaleString("en")} questions; a box is a method's ${content.titles_of_scores.map((title) => shorten(title, 60)).join(" or ") || "score"}`;
      list.replaceChildren();
      extend();
    };
    find.addEventListener("input", refresh);
    kind.addEventListener("change", refresh);
    more.addEventListener("click", extend);
    document.querySelector(".browser").hidden = false;
    refresh();
    /* A page opens on something to read: the first question with an answer that has a text, or with any. */
    const first = (records) => { const asked = new Set(records.map((one) => one.question)); return content.questions.find((one) => asked.has(one.id)); };
    open(first(content.answers.filter((one) => one.text)) || first(content.answers) || content.questions[0]);
  };

  /* Charts: colours that stay apart for colour-blind eyes (Okabe and Ito, then Tol), one a method; a shape a scope. */
  const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a6d00", "#7f7f7f", "#882255", "#44aa99",
    "#5b4bc4", "#999933", "#cc6677", "#117733", "#aa4499", "#88aaee", "#b8860b"];
  const SHAPES = ["diamond", "circle", "rect", "triangle", "pin", "arrow"];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = getComputedStyle(document.body).fontFamily;
  const axis = (name) => ({ name, nameLocation: "middle", nameGap: 30, min: 0, max: 100, nameTextStyle: { color: colour("--quiet") },
    axisLabel: { color: colour("--quiet") }, axisLine: { lineStyle: { color: colour("--quiet") } }, splitLine: { lineStyle: { color: colour("--line") } } });
  const legend = () => ({ type: "plain", top: 0, left: 0, textStyle: { color: colour("--ink"), fontFamily: font }, formatter: (name) => shorten(name, 40) });
  const tooltip = () => ({ renderMode: "richText", backgroundColor: colour("--card"), borderColor: colour("--line"), textStyle: { color: colour("--ink"), fontSize: 13 } });

  /* How many pixels the legend's lines take: a chart's plot begins below them. */
  const legendHeight = (names, width) => 22 * Math.ceil(names.reduce((sum, name) => sum + 45 + 7 * Math.min(name.length, 40), 0) / width);

  const precisionRecall = (width) => {
    const points = content.charts.precision_recall;
    if (!points.length) return null;
    const places = [...new Set(points.map((point) => point[1]))];
    const top = Math.min(100, Math.ceil(Math.max(...points.flatMap((point) => [100 * point[2], 100 * point[3]])) / 10) * 10 + 10);
    const level = (f) => {
      const line = [];
      for (let recall = f / 2 + 0.25; recall <= 100; recall += 0.5) {
        const precision = (f * recall) / (2 * recall - f);
        if (precision <= 100 && precision >= 0) line.push([recall, precision]);
      }
      return line;
    };
    const lines = [20, 40, 60, 80].map((f) => ({ type: "line", silent: true, symbol: "none", data: level(f), z: 1, tooltip: { show: false },
      lineStyle: { type: [2, 4], width: 1, color: colour("--quiet"), opacity: 0.7 },
      endLabel: { show: true, formatter: `T-F1 ${f}`, color: colour("--quiet"), fontSize: 11 } }));
    const series = content.methods.map((method, index) => ({
      name: method, type: "scatter", z: 3, itemStyle: { color: COLOURS[index % COLOURS.length], opacity: 1, borderColor: colour("--card"), borderWidth: 1 },
      data: points.filter((point) => point[0] === method).map(([, place, recall, precision]) => ({
        value: [100 * recall, 100 * precision, place], symbol: SHAPES[places.indexOf(place) % SHAPES.length], symbolSize: place === "Overall" ? 16 : 11 })),
    }));
    const shapes = places.map((place, index) => `${["\u25c6", "\u25cf", "\u25a0", "\u25b2", "\u2691", "\u27a4"][index % 6]} ${shorten(place, 24)}`).join("    ");
    return {
      aria: { enabled: true }, animation: false, legend: { ...legend(), data: content.methods },
      title: { text: shapes, right: 0, bottom: 0, textStyle: { color: colour("--quiet"), fontSize: 12, fontWeight: "normal", fontFamily: font } },
      tooltip: { ...tooltip(), formatter: ({ seriesName, value }) => `${shorten(seriesName, 60)}, ${shorten(String(value[2]), 40)}\nT-Rec ${value[0].toFixed(1)}, T-Prec ${value[1].toFixed(1)}` },
      textStyle: { fontFamily: font }, grid: { left: 48, right: 64, top: 24 + legendHeight(content.methods, width), bottom: 64 }, xAxis: { ...axis("T-Rec"), type: "value", max: top }, yAxis: { ...axis("T-Prec"), type: "value", max: top },
      series: [...lines.map((line) => ({ ...line, clip: true })), ...series],
    };
  };

  const causes = (width) => {
    const counted = content.charts.causes;
    const methods = content.methods.filter((method) => method in counted);
    const totals = new Map();
    for (const method of methods) for (const [cause, count] of Object.entries(counted[method])) totals.set(cause, (totals.get(cause) || 0) + count);
    if (!totals.size) return null;
    const order = [...totals.keys()].sort((one, other) => totals.get(other) - totals.get(one));
    return {
      aria: { enabled: true }, animation: false, textStyle: { fontFamily: font }, legend: legend(), tooltip: tooltip(),
      grid: { left: 16, right: 24, top: 20 + legendHeight(order, width), bottom: 32, containLabel: true },
      xAxis: { ...axis("missed topics"), max: null, type: "value", minInterval: 1 },
      yAxis: { type: "category", inverse: true, data: methods, axisTick: { show: false }, axisLine: { show: false }, axisLabel: { color: colour("--ink"), formatter: (name) => shorten(name, 28) } },
      series: order.map((cause, index) => ({ name: cause, type: "bar", stack: "all", barMaxWidth: 26, itemStyle: { color: COLOURS[index % COLOURS.length], borderColor: colour("--paper"), borderWidth: 1 },
        label: { show: true, color: "#fff", fontSize: 11, textBorderColor: "#0006", textBorderWidth: 2, formatter: ({ value }) => (value ? String(value) : "") },
        data: methods.map((method) => counted[method][cause] || 0) })),
    };
  };

  const charts = [];
  const draw = (id, options) => {
    const place = document.getElementById(id);
    if (!place) return;
    const wanted = options(place.clientWidth);
    if (!wanted) { place.closest("figure").hidden = true; return; }
    if (id === "chart-causes") place.style.height = `${86 + wanted.grid.top + 34 * wanted.yAxis.data.length}px`;
    const chart = echarts.init(place, null, { renderer: "svg" });
    chart.setOption(wanted);
    const again = () => chart.setOption(options(place.clientWidth), true);
    let width = place.clientWidth;
    new ResizeObserver(() => {
      if (!place.clientWidth || place.clientWidth === width) return;
      width = place.clientWidth;
      chart.resize();
      again();
    }).observe(place);
    charts.push(again);
  };
  draw("chart-precision-recall", precisionRecall);
  draw("chart-causes", causes);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((again) => again()));
  if (content.questions.length) browse();
})();
