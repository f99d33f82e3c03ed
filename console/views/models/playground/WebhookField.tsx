/** Where the result of a run is posted, too: folded, because most runs need none. */
import { Link } from "@tanstack/react-router"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"

export const WebhookField = ({
  error,
  onChange,
  value
}: {
  /** A URL, or nothing. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | null
}) => (
  <details open={error !== null || undefined}>
    <summary>Webhook</summary>
    <Stack gap={1}>
      <TextField
        label="Webhook URL"
        type="url"
        isOptional
        autoComplete="off"
        placeholder="https://example.com/hook"
        hint="The result is posted there, signed. It must be https and public, unless the server runs with ALLOW_PRIVATE_TARGETS=true."
        error={error}
        value={value}
        onChange={(text) => onChange(text.trim())}
      />
      <p>
        <Link to="/webhooks" search={{ part: "test" }}>
          Test a receiver
        </Link>{" "}
        first, or see how to{" "}
        <Link to="/webhooks" search={{ part: "secret" }}>
          verify what it gets
        </Link>
        .
      </p>
    </Stack>
  </details>
)
