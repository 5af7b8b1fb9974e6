// What stands in place of the two items where there is nothing to answer: why in; a heading and a sentence out.

const kept = (unsent) => {
  if (!unsent) return "";
  const answers = unsent === 1 ? "One answer that was not sent yet is" : `${unsent} answers that were not sent yet are`;
  return ` ${answers} kept in this browser, and sent when you open your new link in it.`;
};

/** What is said when answers have arrived that waited under a link that was replaced. */
export const sentLate = (answers) => {
  if (!answers) return "";
  return answers === 1 ? "One answer that waited under your old link was sent." : `${answers} answers that waited under your old link were sent.`;
};

/** There is no link (`trouble` is null), or the server does not take it. */
export function noLink(trouble, unsent) {
  if (trouble === null) {
    return {
      heading: "This page needs your link",
      words: "Open the whole link that you were given: this address alone does not say who you are.",
    };
  }
  return {
    heading: "This link does not work",
    words: `It may have been replaced or withdrawn, or a part of it is missing. Ask whoever gave it to you for a new one.${kept(unsent)}`,
  };
}

/** The link is somebody else's, or of a study without questions. */
export function needsLink(study) {
  if (study.kind !== "compare") {
    return { heading: "Nothing is asked here", words: "This study learns from clicks and asks no questions. You can close this page." };
  }
  return { heading: "This link is for another page", words: "To answer questions, open a judge's link. The owner of the study makes them." };
}

export function nothingToAsk() {
  return { heading: "Nothing to ask just now", words: "Thank you for coming. There may be new questions later: open the same link again." };
}

export function thanks(study, answered) {
  if (study.settled) {
    const own = answered === 1 ? "; one of them is yours" : answered ? `; ${answered} of them are yours` : "";
    return { heading: "Thank you", words: `The study has all the answers that it needs${own}. You can close this page.` };
  }
  const given = answered === 1 ? "one answer" : `${answered} answers`;
  return { heading: "Thank you", words: `You have given ${given}, as agreed: that is all that was asked of you. You can close this page, or go on if you like.` };
}
