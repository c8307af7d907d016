#!/usr/bin/env bash
# The job of docs/results/beside-others.md with one tool, installed as that page says. In one terminal:
#
#   durabench mock-model bench/beside-others/rules.yaml --port 8970 --log /tmp/job/model.log
#
# in another:
#
#   bench/beside-others/run.sh /tmp/job inspect|promptfoo|harbor|durabench [IMAGE]
#
# All of it in order: 100 questions; the same again, killed (kill -9) after 50 requests; resumed; which calls were sent twice; the
# other prompt. Of Durabench everything is killed: command, worker, Temporal, Postgres. IMAGE is for Harbor (questions.py).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && job=$(cd "$1" && pwd) tool=$2
log=$job/model.log
twice='Read the question twice. Answer with the number alone.'
export OPENAI_BASE_URL=http://127.0.0.1:8970/v1 OPENAI_API_KEY=none
export PROMPTFOO_CONFIG_DIR=$job/promptfoo/state PROMPTFOO_DISABLE_TELEMETRY=1 PYTHONPATH=$job/harbor

cp -r "$here/$tool" "$job/" && cd "$job/$tool"
python3 "$here/questions.py" . ${3:+"$3"}

# What each tool is asked: whole, resume, other. `whole` gets a name of its own each time.
inspect_() { inspect eval marbles.py --model openai/scripted -M responses_api=false --max-connections 10 --display plain "$@"; }
# It exits with 100 where tests failed.
promptfoo_() { promptfoo eval -j 10 --no-table --no-cache "$@" || [ $? = 100 ]; }
harbor_() { harbor run -p tasks -a marbles:Marbles -m openai/scripted --ak "api_base=$OPENAI_BASE_URL" -n 10 -y "$@"; }
case $tool in
  inspect)
    whole() { inspect_ --log-dir "$1"; }
    resume() { inspect eval-retry killed/*.eval --max-connections 10 --display plain --log-dir killed; }
    other() { inspect_ --log-dir other -T "prompt=$twice"; }
    ;;
  promptfoo)
    whole() { promptfoo_ --filter-prompts once; }
    resume() { promptfoo_ --resume; }
    other() { promptfoo_; }
    ;;
  harbor)
    whole() { harbor_ --job-name "$1"; }
    resume() { harbor job resume -p jobs/killed; }
    other() { harbor_ --job-name other --ak "prompt=$twice"; }
    ;;
  durabench)
    whole() { npx durabench run campaign.yaml; }
    resume() { npx durabench up && npx durabench status latest --watch; }
    other() { npx durabench experiment experiment.yaml; }
    time npx durabench up
    ;;
esac

# What the kill ends beside the command itself.
stack_pids() {
  [ "$tool" = durabench ] || return 0
  node -p "const { supervisor, services } = JSON.parse(require('fs').readFileSync('.durabench/stack.json'));
    [supervisor, ...Object.values(services).map((each) => each.process)].map(({ pid }) => pid).join(' ')"
}
requests() { wc -l <"$log"; }

time whole first
before=$(requests)
set -m
whole killed &
set +m
until [ $(($(requests) - before)) -ge 50 ]; do sleep 0.05; done
# shellcheck disable=SC2046 # one word a process
kill -9 -- "-$!" $(stack_pids)
killed=$(date -u +%FT%T.%3NZ)
wait || true
time resume
python3 "$here/asked_twice.py" "$log" $((before + 1)) "$killed"
time other
