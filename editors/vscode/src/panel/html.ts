/** The panel's page. All of it that changes is drawn by its script. */

/** Where the page's parts are, as the editor serves them. */
export interface Parts {
  script: string;
  style: string;
  /** The source that the editor serves style sheets from. */
  source: string;
  nonce: string;
}

function attribute(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
}

/** The page: nothing may be loaded but its style sheet, nothing run but its script, nothing sent anywhere. */
export function page({ script, style, source, nonce }: Parts): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(style)}">
<title>Automaton</title>
</head>
<body>
<header>
  <h1><button id="name" class="link" title="Go to the contract"></button></h1>
  <p id="standing" class="badge" hidden></p>
</header>
<p id="stale" class="note" role="alert" hidden></p>
<main>
  <section id="automata" aria-label="Automata"></section>
  <section id="session" aria-label="Session">
    <div id="source" class="bar">
      <button id="pick">Choose a session...</button>
      <button id="keeps" class="plain" title="A shortest session that keeps the contract">One that keeps it</button>
      <button id="breaks" class="plain" title="A shortest session that breaks the contract">One that breaks it</button>
    </div>
    <div id="loaded" hidden>
      <div class="bar">
        <strong id="file"></strong> <span id="verdict" class="badge"></span>
        <span class="gap"></span>
        <button id="insert" class="plain" hidden>Insert as a test</button>
        <button id="close" class="plain">Close</button>
      </div>
      <p id="remark" class="soft" hidden></p>
      <div class="bar">
        <label id="sessions-label">Session <select id="sessions"></select></label>
        <label id="instances-label">Instance <select id="instances"></select></label>
        <label>View <select id="view">
          <option value="recorded">as recorded</option>
          <option value="gated">as enforced</option>
        </select></label>
      </div>
      <div class="bar" role="toolbar" aria-label="Steps">
        <button id="first" class="plain" title="To the start (Home)" aria-label="To the start">|◀</button>
        <button id="back" class="plain" title="One step back (Left)" aria-label="One step back">◀</button>
        <button id="forth" class="plain" title="One step forth (Right)" aria-label="One step forth">▶</button>
        <button id="last" class="plain" title="To the end (End)" aria-label="To the end">▶|</button>
        <button id="interest" class="plain" title="To the next event that moves the contract (N; back: P)">Next move</button>
        <span id="count" class="soft"></span>
      </div>
      <p id="told" role="status" aria-live="polite"></p>
      <ul id="violations" aria-label="Violations"></ul>
      <ol id="events" role="listbox" tabindex="0" aria-label="Events"></ol>
      <div id="end"></div>
    </div>
    <p id="none" class="soft">A recorded session is stepped through here: each event, the edge that it takes, and how the contract stands after it.</p>
  </section>
</main>
<script nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}
