/** A key that is shown this once. */
import { Code } from "#console/design/data/Code.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"

export const ShownOnce = ({ secret }: { readonly secret: string }) => (
  <Stack>
    <Notice kind="warning" title="The key is shown this once">
      <p>Copy it now. It cannot be shown again.</p>
    </Notice>
    <Code label="API key" text={secret} isWrapped />
  </Stack>
)
