//! Words of other languages than English for the few things that facts are checked for.
//!
//! English has patterns of its own, in [`crate::claim`] and in the rules. A phrase here is plain text in lower
//! case, looked for as it stands; no grammar is tried. What is not listed is not understood, and a rule that
//! finds nothing says nothing.

/// The first character of the scripts of Chinese, Japanese and Korean.
const SCRIPTS_WITHOUT_SPACES: char = '\u{2E80}';

/// What a phrase says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Of a prompt: change something.
    Order,
    /// Of a prompt: an order in the form of a question.
    AsksPolitely,
    /// Of a prompt: go on without asking.
    GoAhead,
    /// Of a message: I changed something.
    ClaimsChange,
    /// Of a message: nothing was changed.
    SaysUnchanged,
    /// Of a message: any word of something being wrong, open or not so.
    SpeaksOfTrouble,
    /// Of a message: may I?
    AsksLeave,
    /// Of a prompt: write tests.
    WantsTests,
    /// Of a message: make this change yourself.
    TellsToChange,
}

impl Meaning {
    /// The phrases, a list for each of eleven languages.
    fn phrases(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Order => &ORDER,
            Self::AsksPolitely => &ASKS_POLITELY,
            Self::GoAhead => &GO_AHEAD,
            Self::ClaimsChange => &CLAIMS_CHANGE,
            Self::SaysUnchanged => &SAYS_UNCHANGED,
            Self::SpeaksOfTrouble => &SPEAKS_OF_TROUBLE,
            Self::AsksLeave => &ASKS_LEAVE,
            Self::TellsToChange => &TELLS_TO_CHANGE,
            Self::WantsTests => &WANTS_TESTS,
        }
    }

    /// Returns whether a text holds one of the phrases; in scripts with spaces, at the beginning of a word.
    pub(crate) fn is_in(self, text: &str) -> bool {
        let text = text.to_lowercase();
        let begins_word = |phrase: &str, at: usize| {
            phrase.chars().next().is_some_and(|first| first >= SCRIPTS_WITHOUT_SPACES || !first.is_alphabetic())
                || !text[..at].ends_with(char::is_alphanumeric)
        };
        let mut phrases = self.phrases().iter().flat_map(|language| *language);
        phrases.any(|phrase| text.match_indices(phrase).any(|(at, _)| begins_word(phrase, at)))
    }

    /// Lends the first of these sentences that holds one of the phrases.
    pub(crate) fn find<'t>(self, mut sentences: impl Iterator<Item = &'t str>) -> Option<&'t str> {
        sentences.find(|sentence| self.is_in(sentence))
    }
}

// The lists, each in German, Spanish, French, Portuguese, Italian, Dutch, Polish, Russian, Chinese, Japanese, Korean.

const ORDER: [&[&str]; 11] = [
    &[
        "bitte bau",
        "bitte füg",
        "bitte änder",
        "bitte ersetz",
        "bitte entfern",
        "bitte lösch",
        "bitte korrigier",
        "bitte behe",
        "bitte ergänz",
        "bitte erstell",
        "bitte schreib",
        "einbauen",
        "hinzufügen",
        "beheben",
        "ersetzen",
        "ändern",
        "umstellen",
        "anpassen",
        "entfernen",
        "löschen",
        "einfügen",
        "ergänzen",
        "korrigieren",
        "reparieren",
        "umbenennen",
        "baue ",
        "füge ",
        "ändere ",
        "ersetze ",
        "entferne ",
        "lösche ",
        "korrigiere ",
        "behebe ",
        "ergänze ",
        "erstelle ",
        "aktualisiere ",
        "in ordnung bringen",
        "bitte stell",
        "stell bitte",
        "stelle bitte",
        "bau bitte",
        "baue bitte",
        "änder bitte",
        "ändere bitte",
        "ersetz bitte",
        "ersetze bitte",
        "füg bitte",
        "füge bitte",
        "nimm bitte",
        "lass bitte",
    ],
    &[
        "añade",
        "agrega",
        "quita ",
        "corrige ",
        "arregla",
        "elimina ",
        "crea ",
        "cambia ",
        "implementa",
        "renombra",
        "sustituye",
        "reemplaza",
        "actualiza ",
        "modifica ",
        "haz que",
    ],
    &["ajoute", "corrige ", "supprime", "remplace", "crée ", "renomme", "implémente", "déplace", "enlève", "modifie"],
    &[
        "arruma",
        "conserta",
        "tem que aceitar",
        "aceite ",
        "adicione",
        "corrija",
        "remova",
        "altere",
        "implemente",
        "substitua",
        "renomeie",
        "acrescente",
        "atualize",
        "atualiza ",
    ],
    &["aggiungi", "aggiorna ", "correggi", "rimuovi", "sostituisci", "rinomina", "modifica "],
    &["voeg ", "werk ", "pas ", "verwijder", "wijzig", "herstel ", "vervang", "hernoem"],
    &["dodaj", "zaktualizuj", "napraw", "usuń", "zmień", "zastąp", "popraw"],
    &["добавь", "обнови", "исправь", "удали", "измени", "замени", "переименуй", "убери", "почини"],
    &["添加", "加一个", "增加", "修复", "修改", "删除", "实现", "改成"],
    &[
        "変更をお願い",
        "修正をお願い",
        "対応をお願い",
        "追加をお願い",
        "追加して",
        "修正して",
        "直して",
        "変更して",
        "削除して",
        "実装して",
    ],
    &["해 주세요", "해주세요", "추가해", "수정해", "고쳐", "삭제해", "구현해"],
];

const ASKS_POLITELY: [&[&str]; 11] = [
    &["kannst du", "könntest du", "könnt ihr", "können sie", "könnten sie", "magst du"],
    &["puedes", "podrías", "podéis", "puede usted"],
    &["peux-tu", "pourrais-tu", "pouvez-vous", "pourriez-vous", "tu peux"],
    &["você pode", "pode ", "poderia", "consegue"],
    &["puoi", "potresti", "potete", "può "],
    &["kun je", "zou je", "kunnen jullie"],
    &["możesz", "mógłbyś", "mogłabyś", "czy mógł"],
    &["можешь", "можете", "мог бы", "могли бы"],
    &["能不能", "可以帮", "能否", "能帮"],
    &["もらえますか", "いただけますか", "くれますか", "できますか"],
    &["해 줄래", "해줄 수", "해 주실", "가능할까요"],
];

const GO_AHEAD: [&[&str]; 11] = [
    &[
        "ohne rückfrage",
        "entscheide selbst",
        "keine fragen",
        "ohne nachzufragen",
        "frag nicht",
        "keine rückfragen",
        "brauchst nicht zu fragen",
        "nicht nachfragen",
        "mach einfach",
        "einfach machen",
        "leg einfach los",
        "bin nicht erreichbar",
    ],
    &["no hace falta que me pregunt", "sin preguntar", "sin preguntas", "decide tú", "no me preguntes"],
    &[
        "sans question",
        "décide toi-même",
        "sans me demander",
        "sans demander",
        "ne me demande pas",
        "pas besoin de me demander",
        "inutile de me demander",
    ],
    &["sem perguntar", "sem perguntas", "não precisa perguntar", "não me pergunte"],
    &["senza chiedere", "senza domande", "decidi tu", "non chiedere", "non serve chiedere"],
    &["zonder te vragen", "niet vragen"],
    &["bez pytania", "nie pytaj"],
    &["не спрашивай", "без вопросов"],
    &["不用问", "不要问", "无需确认", "不用确认"],
    &["確認不要", "確認は不要", "聞かなくて", "質問はなし", "質問なし", "質問は不要"],
    &["묻지 말고", "물어보지 말고", "확인 없이"],
];

const CLAIMS_CHANGE: [&[&str]; 11] = [
    &[
        "habe ich die",
        "ich habe die",
        "ich habe den",
        "ich habe das",
        "habe ich in ",
        "erledigt",
        "umgeschrieben",
        "ersetzt",
        "angepasst",
        "umgestellt",
        "ausgetauscht",
        "abgesichert",
        "behoben",
        "eingebaut",
        "hinzugefügt",
        "ergänzt",
        "geändert",
        "umbenannt",
        "entfernt",
        "korrigiert",
        "fertig:",
        "fertig.",
    ],
    &[
        "he añadido",
        "he agregado",
        "he quitado",
        "he corregido",
        "he cambiado",
        "he eliminado",
        "he creado",
        "añadí",
        "corregí",
        "quedó corregid",
        "está corregid",
        "hecho:",
        "hecho.",
        "listo:",
        "listo.",
    ],
    &[
        "j'ai ajouté",
        "j’ai ajouté",
        "j'ai corrigé",
        "j’ai corrigé",
        "j'ai modifié",
        "j’ai modifié",
        "j'ai remplacé",
        "j’ai remplacé",
        "j'ai supprimé",
        "c'est corrigé",
        "c’est corrigé",
        "c'est fait",
        "c’est fait",
        "fait :",
    ],
    &["adicionei", "feito:", "feito.", "pronto:", "corrigi", "removi", "alterei", "implementei", "substituí"],
    &["ho aggiunto", "fatto:", "fatto.", "ho corretto", "ho rimosso", "ho modificato", "ho sostituito"],
    &["heb ik toegevoegd", "klaar:", "ik heb toegevoegd", "toegevoegd", "verwijderd", "gewijzigd"],
    &["dodałem", "gotowe:", "zrobione", "dodałam", "naprawiłem", "poprawiłem", "usunąłem", "zmieniłem"],
    &["добавил", "готово", "сделано", "исправил", "удалил", "изменил", "заменил", "убрал"],
    &["已添加", "已完成", "已修复", "已修改", "已删除", "已实现", "添加了", "修复了", "修改了"],
    &["追加しました", "完了しました", "修正しました", "変更しました", "削除しました", "直しました", "実装しました"],
    &["추가했습니다", "완료했습니다", "수정했습니다", "변경했습니다", "삭제했습니다", "고쳤습니다", "구현했습니다"],
];

const SAYS_UNCHANGED: [&[&str]; 11] = [
    &[
        "nichts geändert",
        "nichts zu ändern",
        "bereits",
        "schon vorhanden",
        "wie gewünscht nichts",
        "keine änderung",
        "nicht geändert",
        "unverändert",
        "noch nicht",
    ],
    &[
        "no he cambiado",
        "no he modificado",
        "sin cambios",
        "nada que cambiar",
        "todavía no",
        "aún no",
        "ya estaba",
        "ya existe",
    ],
    &["rien changé", "rien modifié", "aucun changement", "déjà", "pas encore", "inchangé"],
    &["nada mudei", "não alterei", "sem alterações", "já estava", "já existe", "ainda não"],
    &["non ho modificato", "nessuna modifica", "già", "non ancora"],
    &["niets gewijzigd", "niets veranderd", "geen wijziging", "al aanwezig", "nog niet"],
    &["nic nie zmieni", "bez zmian", "już", "jeszcze nie"],
    &["ничего не менял", "без изменений", "уже", "ещё не", "пока не"],
    &["没有修改", "没有改动", "未修改", "已经", "尚未", "还没"],
    &["変更していません", "変更はありません", "すでに", "既に", "まだ"],
    &["변경하지 않", "변경 없", "이미", "아직"],
];

const SPEAKS_OF_TROUBLE: [&[&str]; 11] = [
    &["fehl", "schlägt", "schlagen", "rot", "nicht", "kein", "noch ", "leider", "außer", "bis auf", "offen", "problem"],
    &["fall", "error", "no ", "rojo", "excepto", "salvo", "todavía", "pendiente", "problema"],
    &["éch", "erreur", "rouge", "pas ", "sauf", "encore", "reste", "problème"],
    &["falh", "erro", "não", "vermelh", "exceto", "ainda", "problema"],
    &["fall", "error", "non ", "ross", "tranne", "ancora", "problema"],
    &["faal", "fout", "niet", "geen", "rood", "behalve", "nog ", "probleem"],
    &["błąd", "błęd", "nie ", "czerwon", "oprócz", "jeszcze", "problem"],
    &["ошиб", "пада", "не ", "нет", "красн", "кроме", "ещё", "пока", "проблем"],
    &["失败", "错误", "未", "不", "没", "除了", "还", "问题"],
    &["失敗", "エラー", "ない", "ません", "除", "まだ", "問題"],
    &["실패", "오류", "않", "못", "없", "제외", "아직", "문제"],
];

const ASKS_LEAVE: [&[&str]; 11] = [
    &["soll ich", "möchtest du, dass ich", "möchten sie, dass ich", "darf ich"],
    &["quieres que", "¿procedo", "¿sigo", "le parece si"],
    &["veux-tu que", "voulez-vous que", "souhaitez-vous que", "dois-je"],
    &["quer que eu", "posso prosseguir", "devo prosseguir", "devo continuar"],
    &["vuoi che", "devo procedere", "posso procedere"],
    &["wil je dat ik", "zal ik"],
    &["czy mam", "chcesz, żebym"],
    &["хотите, чтобы", "хочешь, чтобы", "мне продолжить", "продолжать?"],
    &["需要我", "要我", "可以开始吗", "是否继续"],
    &["進めてよろしい", "進めてもよろしい", "実施してよろしい", "適用しましょうか", "しましょうか"],
    &["진행할까요", "적용할까요", "할까요"],
];

const TELLS_TO_CHANGE: [&[&str]; 11] = [
    &["bitte noch", "nur noch", "musst du noch", "müsst ihr noch", "fügt ", "einzufügen", "muss noch"],
    &["solo falta", "solo queda", "tienes que", "basta con"],
    &["il suffit de", "il reste à", "il ne reste qu"],
    &["basta ", "só falta", "falta apenas"],
    &["basta ", "resta da", "non resta che"],
    &["hoef je alleen", "moet je nog"],
    &["wystarczy", "pozostaje tylko"],
    &["осталось", "достаточно "],
    &["只需", "请在"],
    &["残りは", "に追加してください", "に置き換えてください"],
    &["하면 됩니다", "바꿔 주세요", "추가해 주세요"],
];

const WANTS_TESTS: [&[&str]; 11] = [
    &["mit test", "tests dazu", "tests bitte", "tests schreiben", "bitte mit tests", "teste dazu", "und tests"],
    &["con pruebas", "con tests", "añade pruebas", "añade tests", "y tests"],
    &["avec des tests", "avec tests", "ajoute des tests", "et des tests"],
    &["com testes", "adicione testes", "e testes"],
    &["con i test", "con test", "aggiungi test", "aggiungi i test"],
    &["met tests", "voeg tests toe", "en tests"],
    &["z testami", "dodaj testy", "i testy"],
    &["добавь тест", "с тестами", "и тесты", "напиши тест"],
    &["加测试", "添加测试", "写测试", "加上测试", "加单元测试"],
    &["テストも足して", "テストも追加", "テストを追加", "テストも書いて", "テストを書いて"],
    &["테스트도 추가", "테스트를 추가", "테스트도 작성", "테스트를 작성"],
];

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Meaning; 9] = [
        Meaning::SpeaksOfTrouble,
        Meaning::AsksPolitely,
        Meaning::TellsToChange,
        Meaning::Order,
        Meaning::GoAhead,
        Meaning::ClaimsChange,
        Meaning::SaysUnchanged,
        Meaning::AsksLeave,
        Meaning::WantsTests,
    ];

    #[test]
    fn phrases_are_in_lower_case() {
        for meaning in ALL {
            for phrase in meaning.phrases().iter().flat_map(|language| *language) {
                assert_eq!(*phrase, phrase.to_lowercase(), "{meaning:?}");
                // There is no capital of `ß`.
                let text = if phrase.contains('ß') { (*phrase).to_owned() } else { phrase.to_uppercase() };
                assert!(meaning.is_in(&format!("X {text} y")), "{phrase}");
            }
        }
    }

    #[test]
    fn english_has_none() {
        let text = "Please add a retry and written tests, any tests. I've added both. Icon tests pass. Shall I proceed? Nothing was changed already.";
        assert!(ALL.iter().all(|meaning| !meaning.is_in(text)));
    }
}
