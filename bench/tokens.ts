/** Tokens of the payment pages of deposits that this run has created. */
import { connect, type World } from './world.ts'

export async function readTokens(
  world: World,
  most: number,
  state: 'builded' | 'created' = 'created',
): Promise<string[]> {
  const client = await connect(world.login('inlet'))
  try {
    const { rows } = await client.query<{ page_token: string }>(
      'select page_token from deposits where state = $1 order by created_at desc limit $2',
      [state, most],
    )
    return rows.map((row) => row.page_token)
  } finally {
    await client.end()
  }
}
