/** How a receiver verifies a delivery, in TypeScript and in Python. */
import { useState } from "react"
import { Code } from "#console/design/data/Code.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"

const typescript = `// npm install standardwebhooks
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET!)

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // The bytes as they came, not JSON that was parsed and written again.
    const event = webhook.verify(Buffer.concat(chunks), request.headers as Record<string, string>)
    response.writeHead(204).end()
    console.log(event)
  } catch {
    response.writeHead(401).end()
  }
}).listen(9000)
`

const python = `# pip install standardwebhooks
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes as they came, not JSON that was parsed and written again.
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhook.verify(body, dict(self.headers))
        except Exception:
            return self.send_response(401) or self.end_headers()
        self.send_response(204)
        self.end_headers()
        print(event)

HTTPServer(("", 9000), Receiver).serve_forever()
`

export const Verify = () => {
  const [language, setLanguage] = useState<"typescript" | "python">("typescript")
  return (
    <Section
      title="Verify a delivery"
      lead="Refuse what does not verify, and store each webhook-id, so that a repeat is not processed twice."
    >
      <Tabs
        label="Language"
        chosen={language}
        onChoose={setLanguage}
        parts={[
          { id: "typescript", label: "TypeScript", content: <Code label="TypeScript" text={typescript} /> },
          { id: "python", label: "Python", content: <Code label="Python" text={python} /> }
        ]}
      />
    </Section>
  )
}
