/**
 * A client for web pages (docs/apps/browsers.md). It holds a token, never a key, and asks for another one when that has ended.
 *
 * @param getToken asks your own server, and resolves with `{ url, token }`.
 */
export const connect = (getToken) => {
  let held = null

  const send = async (path, { headers, ...init }) => {
    held ??= await getToken()
    return fetch(held.url + path, { ...init, headers: { ...headers, Authorization: `Key ${held.token}` } })
  }

  const call = async (path, init = {}) => {
    let response = await send(path, init)
    if (response.status === 401) {
      held = null
      response = await send(path, init)
    }
    if (response.ok) return response
    const { details, error } = await response.json()
    const text =
      typeof error === "string"
        ? error
        : error.map(({ message, path }) => `${path.join(".")} ${message}`).join("; ")
    throw Object.assign(new Error(text), { status: response.status, code: details?.code })
  }

  /** The key lets a retry find the request of the first attempt. */
  const submit = async (model, input) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() }
    const response = await call(`/${model}`, { method: "POST", headers, body: JSON.stringify(input) })
    const { request_id } = await response.json()
    return { model, id: request_id }
  }

  const pathOf = ({ id, model }) => `/${model}/requests/${id}`

  const cancel = (request) => call(`${pathOf(request)}/cancel`, { method: "POST" })

  /** Yields `{ event, data }` until `done`. Goes on behind the last chunk when a connection or a token has ended. */
  async function* output(request) {
    let last = null
    while (true) {
      const headers = last === null ? {} : { "Last-Event-ID": last }
      const response = await call(`${pathOf(request)}/output/stream`, { headers })
      try {
        for await (const { data, event, id } of events(response.body)) {
          last = id ?? last
          yield { event, data }
          if (event === "done") return
        }
      } catch (error) {
        // Broken off.
        if (!(error instanceof TypeError)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }

  return { call, submit, cancel, output }
}

/** `EventSource` cannot send the token, so this reads server-sent events from a body. Data of every event is JSON. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split("\n\n")
      rest = blocks.pop()
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2)))
        if (fields.has("data")) {
          yield { event: fields.get("event"), id: fields.get("id"), data: JSON.parse(fields.get("data")) }
        }
      }
    }
  } finally {
    await reader.cancel()
  }
}
