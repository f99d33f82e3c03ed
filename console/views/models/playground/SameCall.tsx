/** The call of the playground as a program. */
import * as JsonText from "#domain/JsonText.ts"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Json } from "#domain/CanonicalJson.ts"
import { saveFile } from "#console/api/SaveFile.ts"
import { sessionQuery } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Code } from "#console/design/data/Code.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import * as CodeSamples from "../code/CodeSamples.ts"

export const SameCall = ({ input, model }: { readonly model: string; readonly input: Json }) => {
  const { data: session } = useQuery(sessionQuery)
  const [chosen, choose] = useState<CodeSamples.Language>("curl")
  const queueUrl = session?.urls.queueUrl ?? location.origin
  const isLarge = JsonText.write(input).length > CodeSamples.longestInput
  return (
    <Section
      title="The same call"
      lead={
        <>
          Put one of your <a href="keys">keys</a> into <code>{CodeSamples.keyVariable}</code>.
        </>
      }
      actions={
        isLarge ? (
          <Button
            size="small"
            onPress={() => saveFile(CodeSamples.inputFile, "application/json", JsonText.write(input))}
          >
            Save {CodeSamples.inputFile}
          </Button>
        ) : undefined
      }
    >
      <Tabs
        label="Language"
        chosen={chosen}
        onChoose={choose}
        parts={CodeSamples.languages.map(({ id, label }) => ({
          id,
          label,
          content: (
            <Code label={`The call in ${label}`} text={CodeSamples.of(id, { queueUrl, model, input })} />
          )
        }))}
      />
    </Section>
  )
}
