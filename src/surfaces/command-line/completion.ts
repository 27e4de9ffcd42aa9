/**
 * What a shell offers while a command is typed, out of the table that the help is made of: commands, their options, and
 * the choices of an option where its usage lists them. The patterns are written the same in bash and zsh.
 */
import { type Command, optionsOf } from './command.ts'

export const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

type Table = Record<string, Pick<Command, 'usage' | 'options'>>

export const completionScript = (shell: Shell, commands: Table): string => scripts[shell](casesOf(commands))

/** `$line` has the words before the current one. Where nothing is offered, the shell offers file names. */
const scripts: Record<Shell, (cases: string) => string> = {
  bash: (cases) => `# For bash: eval "$(inlet completion bash)"
_inlet() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1}" offered=
  case "$line" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o bashdefault -o default -F _inlet inlet`,
  zsh: (cases) => `#compdef inlet
# For zsh, after compinit: eval "$(inlet completion zsh)"
_inlet() {
  local line="\${(j: :)words[2,CURRENT-1]}" offered=
  case "$line" in
${cases}
  esac
  compadd -- \${=offered} || _files
}
compdef _inlet inlet`,
}

type Case = [pattern: string, offered: string[]]

/** A shell takes the first pattern that fits: "backup list" comes before "backup", which is a command and a group. */
function casesOf(commands: Table): string {
  const names = Object.keys(commands)
  const groups = Map.groupBy(names, (name) => name.split(' ')[0]!)
  const ofTwoWords = names.filter((name) => name.includes(' '))
  const ofOneWord = [...groups.keys()]
  const cases: Case[] = [
    ["''", [...ofOneWord, 'help']],
    ...ofTwoWords.flatMap((name) => casesOfCommand(name, commands[name]!)),
    ...ofOneWord.flatMap((name): Case[] => {
      const secondWords = groups.get(name)!.flatMap((full) => full.split(' ').slice(1))
      return commands[name] ? casesOfCommand(name, commands[name], secondWords) : [[`'${name}'`, secondWords]]
    }),
  ]
  return cases.map(([pattern, offered]) => `    ${pattern}) offered='${offered.join(' ')}' ;;`).join('\n')
}

function casesOfCommand(name: string, command: Table[string], secondWords: readonly string[] = []): Case[] {
  const { usage } = command
  const options = Object.keys(optionsOf(command))
  const chosen = options.map((option): Case => [`'${name} '*'--${option}'`, choicesIn(usage, option)])
  const words = [...firstWords(usage, name), ...[...options, 'json', 'help'].map((option) => `--${option}`)]
  return [
    ...chosen.filter(([, choices]) => choices.length > 0),
    [`'${name}'`, [...secondWords, ...words]],
    [`'${name} '*`, words],
  ]
}

/** `inlet completion bash|zsh`: a word that is one of a few. */
const firstWords = (usage: string, name: string): string[] =>
  new RegExp(`^inlet ${name} ([a-z]+(?:\\|[a-z]+)+)`).exec(usage)?.[1]?.split('|') ?? []

/**
 * `--mode live|test` and `--events none|one,another` list their choices; `--since TIME` and `--limit 1..200` have none to
 * offer. Of choices that can be given together, each is offered alone.
 */
function choicesIn(usage: string, option: string): string[] {
  const listed = new RegExp(`--${option} ([\\w.-]+(?:[|,][\\w.-]+)+)`).exec(usage)?.[1] ?? ''
  return listed.split(/[|,]/).filter((choice) => choice !== '' && choice !== 'N')
}
