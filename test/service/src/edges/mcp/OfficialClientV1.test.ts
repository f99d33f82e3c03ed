import * as AssistantV1 from "#test/support/src/edges/mcp/AssistantV1.ts"
import { journey } from "#test/support/src/edges/mcp/Journey.ts"

journey("an assistant with the official client of the first generation", AssistantV1.make)
