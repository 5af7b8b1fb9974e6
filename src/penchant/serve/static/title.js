// The title of the study of a token: only the token tells which of several studies a page is for.

import { call } from "./api.js";

/** Show the title, and return what the server says about the study. */
export async function showTitle(token) {
  const study = await call(token, "/v1/study");
  document.getElementById("title").textContent = study.title;
  document.title = `${study.title} · Penchant`;
  return study;
}
