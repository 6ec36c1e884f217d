// Past games, their score sheets and the players' records.

import { chart } from "./chart.js";
import { day, picture, shareWords } from "./picture.js";
import { draw, html, listen } from "./dom.js";
import { ask, live, send, watch } from "./live.js";
import { about, banner, begin, done, links } from "./page.js";
import { added } from "./players.js";
import { language, listed, say, t, won } from "./words.js";

const app = document.getElementById("app");
let past = null;
const opened = new Map();
let toDelete = null; // number of the game whose deletion is to be confirmed
let deleted = null; // seq after a deletion; undo is offered as long as it is the latest

const number = (value) => (value === null ? "–" : new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value));

/** The player in the address; empty on the general page. */
const person = () => decodeURIComponent(/^#player=(.+)$/.exec(location.hash)?.[1] ?? "");

function show() {
  draw(app, html`<header class="top"><h1>${t("nav.history")}</h1></header>${banner()}
    <main id="main">${past === null ? html`<p>${t("loading")}</p>` : html`${gone()}${person() ? whose(person()) : html`${evenings(past.games)}${records()}`}`}${links("/history")}</main>`);
}

function evenings(games) {
  if (past.error) return html`<p>${t("history.failed")}</p>`;
  const lost = [...new Set(past.damage.map((each) => day(each.at)))];
  const damage = lost.length ? html`<p>${t("history.lost", { days: listed(lost) })}</p>` : "";
  if (!games.length) return html`${damage}<p>${t("history.none")}</p>`;
  return html`${damage}<section aria-labelledby="evenings"><h2 id="evenings" class="unseen">${t("history.evenings")}</h2>
    <ul class="evenings">${games.map((game) => html`<li id="game-${game.number}" class="block">
      <h3>${day(game.started_at)}</h3>
      ${game.doubtful ? html`<p class="quiet">${t("history.doubtful")}</p>` : ""}
      ${game.hurt ? html`<p>${t("history.hurt")}</p>` : ""}
      <p>${game.title}, ${t("history.rounds", game)}. ${outcome(game)}</p>
      <p class="quiet">${listed(game.players)}</p>
      ${opened.has(game.number) ? whole(opened.get(game.number)) : html`
      <button data-do="open" data-number="${game.number}">${t("sheet")}<span class="unseen">, ${day(game.started_at)}</span></button>`}
    </li>`)}</ul></section>`;
}

function outcome(game) {
  if (!game.finished) return t("history.unfinished");
  return `${won(game.winners)}.`;
}

function whole(game) {
  const players = added(game.players);
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="${t("sheet")}"><table>
      <thead><tr><th scope="col">${t("sheet.round")}</th>${players.map((player) => html`<th scope="col"><span>${player.name}</span></th>`)}</tr></thead>
      <tbody>${game.rounds.map((round, place) => html`<tr><th scope="row">${round.round}${round.engine === null ? "" : html` <span class="quiet">(${round.engine})</span>`}</th>
        ${players.map((player) => html`<td>${player.scores[place] ?? "–"}</td>`)}</tr>`)}</tbody>
      <tfoot><tr><th scope="row">${t("total")}</th>${players.map((player) => html`<td>${player.total}</td>`)}</tr></tfoot>
    </table></div>
    ${game.rounds.length > 1 ? chart(players) : ""}
    <p class="share"><button data-do="share" data-number="${game.number}">${t(shareWords())}</button></p>
    <p><a href="/api/history/${game.number}/sheet.html">${t("history.print")}</a></p>
    <p><a href="/api/history/${game.number}/sheet.csv" download="game-${game.number}.csv">${t("history.csv")}</a></p>
    ${about.may_write ? deleting(game) : ""}`;
}

/** The button to delete a game, such as a trial, with a confirmation. */
const deleting = (game) => (toDelete === game.number
  ? html`<div class="ask block"><p>${t("history.delete.sure")}</p><div class="choices">
      <button data-do="delete" data-number="${game.number}">${t("history.delete.yes")}</button><button data-do="doubt">${t("no")}</button></div></div>`
  : html`<p><button data-do="doubt" data-number="${game.number}">${t("history.delete")}</button></p>`);

const gone = () => (deleted !== null && live.state?.seq === deleted && live.state.undo
  ? html`<p class="forecast" role="status">${say(live.state.said)} <button data-do="undo">${t("undo")}</button></p>` : "");

/** A player's page: games played and won, best round of each game. */
function whose(who) {
  const theirs = past.players.filter(({ name }) => name === who);
  const games = past.games.filter(({ players }) => players.includes(who));
  const fact = (key, value) => html`<div><dt>${t(key)}</dt><dd>${value}</dd></div>`;
  return html`<p><a href="#">${t("history.all")}</a></p><section class="block"><h2>${who}</h2>
    <dl class="person">${fact("history.total", games.length)}${fact("history.won", games.filter(({ winners }) => winners.includes(who)).length)}
      ${theirs.map((record) => fact("history.best", html`${number(record.best)} <small class="quiet">${titleOf(record.game)}</small>`))}</dl></section>
    ${evenings(games)}`;
}

const titleOf = (game) => past.games.find((each) => each.game === game)?.title ?? game;

function records() {
  if (!past.players?.length) return "";
  const games = [...new Set(past.players.map(({ game }) => game))];
  const titles = Object.fromEntries(past.games.map(({ game, title }) => [game, title]));
  return html`<section aria-labelledby="records"><h2 id="records">${t("history.players")}</h2>
    ${games.map((game) => html`<h3>${titles[game] ?? game}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="${t("history.players")}: ${titles[game] ?? game}"><table class="records">
      <thead><tr><th scope="col">${t("setup.name")}</th>${["games", "wins", "average", "best"].map((key) => html`<th scope="col">${t(`history.${key}`)}</th>`)}</tr></thead>
      <tbody>${past.players.filter((player) => player.game === game).map((player) => html`<tr><th scope="row"><a href="#player=${encodeURIComponent(player.name)}">${player.name}</a></th>
        <td>${player.games}</td><td>${player.wins}</td><td>${number(player.average)}</td><td>${number(player.best)}</td></tr>`)}</tbody>
    </table></div>`)}</section>`;
}

/** Show one game in full. */
async function open(id) {
  const game = await ask("GET", `/api/history/${id}`);
  if (!game.error) opened.set(id, game);
  show();
  document.querySelector(`#game-${id} .scroll`)?.focus();
}

async function load() {
  past = await ask("GET", "/api/history");
  show();
}

await begin();
document.title = `${t("nav.history")} · ${t("title")}`;
listen(app, {
  doubt: (source) => { toDelete = source.dataset.number ? Number(source.dataset.number) : null; show(); },
  delete: async (source) => {
    const { started_at } = past.games.find(({ number: each }) => each === Number(source.dataset.number));
    const answer = await send({ type: "delete-game", started_at });
    toDelete = null;
    if (await done(answer)) deleted = answer.seq;
    await load();
  },
  undo: async () => { if (await done(send({ type: "undo" }, true))) await load(); },
  share: (source) => picture(opened.get(Number(source.dataset.number))),
  open: (source) => open(Number(source.dataset.number)),
});
addEventListener("hashchange", () => { show(); scrollTo(0, 0); });
watch(show);
await load();
const linked = /^#game-([0-9]+)$/.exec(location.hash)?.[1];
if (linked) await open(Number(linked));
