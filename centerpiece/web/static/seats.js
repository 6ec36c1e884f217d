// The table tab: the engine, my own seat and the others; while hands are counted, the missing ones.

import { inOrder } from "./choices.js";
import { html, icon } from "./dom.js";
import { hosting, mySeat } from "./mine.js";
import { about } from "./page.js";
import { alone, badge, missing, moved, movement, name, patience, playing, seatOf, sides } from "./players.js";
import { ON_BUTTONS, signList, signs } from "./signs.js";
import { tile } from "./tile.js";
import { double, listed, ordinal, say, t, title, word } from "./words.js";

/** @param {State} state */
export function tableView(state) {
  const mine = seatOf(state, mySeat(state));
  const others = inOrder(state.seats, state.settings).filter((seat) => seat !== mine);
  const whole = state.phase === "playing" && about.may_write && hosting(state);
  // News of others comes below my own buttons, so that it does not push them.
  return html`
    ${state.phase === "scoring" ? counting(state) : engine(state)}
    <section aria-labelledby="seats-title">
      <h2 id="seats-title" class="unseen">${t("standings")}</h2>
      <ol class="rows ${whole ? "whole" : ""}" ${alone(state) && state.phase !== "playing" ? "hidden" : ""}>
      ${mine ? html`<li id="seat-${mine.seat}" class="mine">${card(state, mine, true)}</li>` : ""}
      ${others.map((seat) => html`<li id="seat-${seat.seat}">
        ${whole && !seat.left ? card(state, seat, false) : row(state, seat)}</li>`)}</ol>
    </section>
    ${state.phase === "playing" ? siding(state) : ""}
    ${alerts(state)}`;
}

// The round

const heading = (words, lines) => html`<section class="engine"><div>
  <h2>${words}</h2><p class="quiet">${lines}</p></div></section>`;

/** @param {State} state */
function engine(state) {
  if (alone(state)) return heading(state.title, patience(state).join(" · "));
  const lines = [state.starter && state.seats.length > 1 ? t("starts", { name: name(state, state.starter) }) : "",
    state.hand ? t("hand", state) : "", state.counts.goal ? t("goal", state.counts) : ""].filter(Boolean).join(" · ");
  if (!Number.isInteger(state.engine)) return heading(state.title, lines);
  return html`<section class="engine" id="engine-${state.round}">${tile(state.engine)}<div>
    <h2>${title(double(state.engine))}</h2><p class="quiet">${lines}</p></div></section>`;
}

/**
 * What everybody has to know, as a list.
 * @param {State} state
 */
export function alerts(state) {
  const lines = [...state.alerts, ...state.notes].map(say);
  lines.push(...state.from_next_round.map((rule) => t("rules.next", { rule: say(rule) })));
  if (state.direction === "counterclockwise") lines.push(t("alert.direction"));
  for (const { round, seats } of state.missing) {
    if (state.phase === "playing" || round !== state.round) {
      lines.push(t("alert.missing", { round, names: seats.map((seat) => name(state, seat)) }));
    }
  }
  return lines.length ? html`<ul class="alerts">${lines.map((line) => html`<li>${line}</li>`)}</ul>` : "";
}

/**
 * Counted and missing hands; once all are counted, the round's result.
 * @param {State} state
 */
function counting(state) {
  if (alone(state)) return heading(...patience(state));
  if (!state.out && !state.blocked) return engine(state);
  const open = missing(state);
  const how = state.blocked ? t("round.blocked") : t("round.out", { name: name(state, state.out) });
  if (!open.length) return summary(state, how);
  return html`<section class="block"><h2>${how}</h2><p>${t("count.missing", { names: open.map((seat) => name(state, seat)) })}</p>
    <ul class="chips">${playing(state).map((seat) => {
      const score = open.includes(seat.seat) ? "–" : seat.scores[state.round - 1] ?? "✓";
      return html`<li><button class="chip ${score === "–" ? "is-missing" : ""}" data-do="score" data-seat="${seat.seat}" ${about.may_write ? "" : "disabled"}>${badge(seat.seat)}${seat.name} <b>${score}</b></button></li>`;
    })}</ul></section>`;
}

/** @param {State} state */
function summary(state, how) {
  const places = moved(state);
  return html`<section class="block summary"><h2>${icon("cup")} ${how}</h2>
    <ol>${sides(state).filter(([seat]) => seat.plays).map((partners) => html`<li>
      ${partners.map(({ seat }) => badge(seat))}<span class="name">${listed(partners.map((seat) => seat.name))}</span>
      <span class="gain">${gain(state, partners)}</span>
      ${movement(places[partners[0].seat])}<b class="total">${partners[0].total}</b></li>`)}</ol></section>`;
}

/** @param {State} state */
function gain(state, partners) {
  const points = partners.reduce((all, { scores }) => all + (scores[state.round - 1] ?? 0), 0);
  return `${points < 0 ? "" : "+"}${points}`;
}

// Seats

const who = (seat) => html`<span class="who"><strong>${seat.name}</strong>
  ${seat.team ? html`<span class="quiet">${t("team.total", seat)}
    ${seat.place ? html`<span class="place">${ordinal(seat.place)}</span>` : ""}</span>` : ""}</span>`;

/**
 * A player's total and place; partners' are under their team, and one player has none.
 * @param {State} state
 */
const standing = (state, seat) => (seat.team || alone(state) ? "" : html`<span class="total"><span class="unseen">${t("total")}</span> ${seat.total}
  ${typeof seat.won === "number" && seat.won !== seat.total ? html`<span class="quiet won-rounds">${t("won.rounds", seat)}</span>` : ""}
  ${seat.place ? html`<span class="place"><span class="unseen">${t("place", { place: ordinal(seat.place) })}</span><span aria-hidden="true">${ordinal(seat.place)}</span></span>` : ""}</span>`);

/** @param {State} state */
function row(state, seat) {
  const inside = html`${badge(seat.seat)}${who(seat)}${signList(signs(state, seat))}${standing(state, seat)}`;
  const kind = `row ${seat.left ? "is-gone" : ""}`;
  return about.may_write && !seat.left
    ? html`<button class="${kind}" data-do="seat" data-seat="${seat.seat}">${inside}</button>`
    : html`<div class="${kind}">${inside}</div>`;
}

/**
 * A seat with its signs, total and frequent actions.
 * @param {State} state
 */
function card(state, seat, mine) {
  const acts = about.may_write && state.phase === "playing" && seat.plays && !seat.parked;
  const shown = signs(state, seat).filter(([kind]) => !acts || !ON_BUTTONS.includes(kind));
  return html`<div class="card">
    <div class="head">${badge(seat.seat)}${who(seat)}${signList(shown)}${standing(state, seat)}
      ${about.may_write ? html`<button class="small quiet-button" data-do="seat" data-seat="${seat.seat}" aria-label="${t("seat.menu", seat)}">${icon("more")}</button>` : ""}</div>
    ${acts ? html`<div class="strip">${strip(state, seat.seat, !mine)}
      ${playing(state).length > 1 ? html`<button class="act" data-do="went" data-seat="${seat.seat}">${icon("out")}<span>${t(mine ? "i.out" : "sign.out")}</span></button>` : ""}</div>` : ""}
  </div>`;
}

/**
 * The game's actions at a place (a seat, or 0 for the table) as small buttons.
 * @param {State} state
 */
export const strip = (state, place, careful) => state.offers.filter((offer) => !offer.kept && !offer.pinned)
  .map((offer) => act(state, offer, place, careful));

const fill = (command, place) => JSON.stringify(command).replaceAll('"{seat}"', String(place));

/** @param {State} state */
function act(state, offer, place, careful) {
  const forSeat = Object.values(offer.command).includes("{seat}");
  const on = state.on[offer.command.type]?.includes(place) ?? false;
  if (forSeat !== place > 0 || (on && !offer.off)) return "";
  const words = html`${offer.icon ? icon(offer.icon) : ""}<span>${title(word(offer.short))}</span>`;
  if (offer.number) {
    return html`<button class="act" data-do="number" data-number="${offer.number}" data-seat="${place}"
      data-command="${fill(offer.command, place)}" data-words="${word(offer.words)}">${words}</button>`;
  }
  return html`<button class="act ${offer.icon}" data-do="command" data-command="${fill(on ? offer.back : offer.command, place)}"
    ${careful ? "data-seen" : ""} ${offer.off ? html`aria-pressed="${String(on)}"` : ""}>${words}</button>`;
}

/**
 * The shared siding and the table's actions.
 * @param {State} state
 */
function siding(state) {
  const { name: called, words } = state.siding;
  const actions = about.may_write ? strip(state, 0, true).filter(String) : [];
  if (!called && !actions.some((action) => String(action))) return "";
  return html`<section class="card middle" aria-label="${called ? word(called) : t("table.deeds")}">
    ${called ? html`<div class="head">${icon("open")}<span class="who"><strong>${word(called)}</strong><span class="quiet">${word(words)}</span></span></div>` : ""}
    <div class="strip">${actions}</div></section>`;
}

