/// Asks the server of regard explore. Throws Error with the sentence of its reply, or with a sentence of our own.
async function ask(path, body, signal) {
  const options = body === undefined ? {} :
    {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)};
  let reply;
  try {
    reply = await fetch(path + location.search, {...options, signal});  // the token of the link
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is regard explore still running?");
  }
  const json = await reply.json().catch(() => undefined);
  if (reply.ok && json !== undefined) return json;
  throw new Error(json?.error ?? `The server answered with status ${reply.status}.`);
}
