/** A page that writes with a model, and uploads pictures. It belongs to the routes in examples/nextjs. Vite and the like build it. */
import { Inferlog } from "@inferlog/client"
import { InferlogProvider, useRequest, useStream, useUpload } from "@inferlog/react"
import { StrictMode, useState } from "react"
import { createRoot } from "react-dom/client"

const ask = async (path, body = {}) => {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) })
  if (!answer.ok) throw new Error((await answer.json()).error)
  return answer.json()
}

// The page holds a token, never a key. The client asks for another one when it has ended, and goes on.
const { url } = await ask("/api/inferlog-token")
const client = new Inferlog({ url, key: async () => (await ask("/api/inferlog-token")).token })

/** Shows the text while it is made. The request is cancelled when this unmounts. */
const Writer = () => {
  const { cancel, end, error, phase, run, text } = useStream("acme/writer")
  return (
    <section>
      <button onClick={() => run({ text: "hello" })}>Write</button>
      <button onClick={cancel} disabled={phase !== "running"}>
        Cancel
      </button>
      <p id="text">{text}</p>
      <p id="writer">
        {phase === "failed" ? `${error.name}: ${error.message}` : `${phase} ${end?.cost ?? ""}`}
      </p>
    </section>
  )
}

/** Shows the place in the queue, and then the whole output. */
const Asker = () => {
  const { error, output, phase, run, status } = useRequest("acme/writer")
  return (
    <section>
      <button onClick={() => run({ text: "hello" })}>Ask</button>
      <p id="asker">
        {phase === "failed" ? String(error) : `${phase} ${status?.status ?? ""} ${output ?? ""}`}
      </p>
    </section>
  )
}

const Picture = () => {
  const { error, phase, progress, upload, url } = useUpload({
    initiate: (file) => ask("/api/inferlog-upload", file)
  })
  return (
    <section>
      <input
        type="file"
        aria-label="Picture"
        onChange={({
          target: {
            files: [file]
          }
        }) => file && upload(file)}
      />
      <progress value={progress} />
      <p id="picture">{phase === "failed" ? String(error) : (url ?? phase)}</p>
    </section>
  )
}

const App = () => {
  const [isShown, setShown] = useState(true)
  return (
    <InferlogProvider client={client}>
      <button onClick={() => setShown(!isShown)}>{isShown ? "Hide" : "Show"} the writer</button>
      {isShown && <Writer />}
      <Asker />
      <Picture />
    </InferlogProvider>
  )
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>
)
