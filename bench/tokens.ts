/** Tokens of the payment pages of deposits that this run has created. */
import { connect, type World } from './world.ts'

export async function readTokens(world: World, most: number): Promise<string[]> {
  const client = await connect(world.login('inlet'))
  try {
    const { rows } = await client.query<{ page_token: string }>(
      `select page_token from deposits where state = 'created' order by created_at desc limit ${most}`,
    )
    return rows.map((row) => row.page_token)
  } finally {
    await client.end()
  }
}
