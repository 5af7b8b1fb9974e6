"""Paper 3, Huusari and Rousu: two worked examples, three ranking tasks and the bound of RankBoost."""
